import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { fakeHandler, startFakeService, violation } from '../integrations/http/fake-service.fixture';
import type { FakeAnswer } from '../integrations/http/fake-service.fixture';
import {
  closedSchema,
  FakeVectorIndex,
  vectorSchema,
} from '../integrations/vector-stores/fake-vector-index.fixture';
import { describeVectorStore } from './vector-store.contract';

const common = {
  collectionName: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  dbName: { const: 'ours' },
};
const body = (properties: object, required: readonly string[] = []) =>
  closedSchema({ ...common, ...properties }, ['collectionName', 'dbName', ...required]);
const bodies: Readonly<Record<string, object>> = {
  '/v2/vectordb/collections/has': body({}),
  '/v2/vectordb/collections/drop': body({}),
  '/v2/vectordb/collections/create': body(
    {
      dimension: { type: 'integer', minimum: 1 },
      metricType: { enum: ['COSINE', 'L2', 'IP'] },
      idType: { enum: ['Int64', 'VarChar'] },
      autoID: { const: true },
      primaryFieldName: { const: 'pk' },
      vectorFieldName: { const: 'vector' },
    },
    ['dimension'],
  ),
  '/v2/vectordb/entities/insert': body(
    {
      data: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', required: ['vector', 'text'], properties: { vector: vectorSchema } },
      },
    },
    ['data'],
  ),
  '/v2/vectordb/entities/search': body(
    {
      data: { type: 'array', items: vectorSchema, minItems: 1 },
      annsField: { const: 'vector' },
      limit: { type: 'integer', minimum: 1, maximum: 16_384 },
      outputFields: { type: 'array', items: { type: 'string' } },
      consistencyLevel: { enum: ['Bounded', 'Session', 'Strong', 'Eventually'] },
    },
    ['data'],
  ),
};

interface Body {
  readonly collectionName: string;
  readonly dimension: number;
  readonly data: (number[] & Record<string, unknown> & { vector: number[] })[];
  readonly limit: number;
}

/** The REST API of Milvus 2.4 and later. */
function createMilvusHandler() {
  const collections = new Map<string, FakeVectorIndex>();
  let ids = 0;
  const refuse = (code: number, message: string): FakeAnswer => ({ json: { code, message } });
  return fakeHandler(({ path, method, headers, json }) => {
    const schema = bodies[path];
    if (schema === undefined || method !== 'POST') return { status: 404, text: '404 page not found' };
    if (headers.authorization !== 'Bearer root:Milvus')
      return { status: 401, json: { code: 1800, message: "user hasn't authenticated" } };
    const wrong = violation(schema, json);
    if (wrong !== null) return refuse(1802, `missing required parameters, error: ${wrong}`);
    const given = json as Body;
    const storedVectors = collections.get(given.collectionName);
    switch (path.split('/').at(-1)) {
      case 'has':
        return { json: { code: 0, data: { has: storedVectors !== undefined } } };
      case 'create':
        collections.set(given.collectionName, new FakeVectorIndex(given.dimension));
        return { json: { code: 0, data: {} } };
      case 'drop':
        collections.delete(given.collectionName);
        return { json: { code: 0, data: {} } };
    }
    if (storedVectors === undefined)
      return refuse(100, `collection not found[collection=${given.collectionName}]`);
    if (path.endsWith('insert')) {
      for (const { vector, ...fields } of given.data)
        storedVectors.put({ id: String((ids += 1)), vector, fields });
      return { json: { code: 0, data: { insertCount: given.data.length } } };
    }
    const [vector = []] = given.data;
    if (vector.length !== storedVectors.dimensions) {
      return refuse(
        65535,
        `vector dimension mismatch, expected vector size(byte) ${storedVectors.dimensions * 4}, actual ${vector.length * 4}`,
      );
    }
    const data = storedVectors.nearest(vector, given.limit).map(({ id, score, fields, vector: own }) => ({
      ...fields,
      pk: Number(id),
      vector: own,
      distance: score,
    }));
    return { json: { code: 0, cost: 0, data } };
  });
}

describeVectorStore('Milvus', {
  type: 'Milvus',
  mismatch: /Milvus refused entities\/search: vector dimension mismatch/,
  wrongKey: { password: 'root:wrong' },
  start: async () => {
    const service = await startFakeService(createMilvusHandler());
    const values = {
      uri: service.url,
      password: 'root:Milvus',
      collection_name: 'pets',
      connection_args: { db_name: 'ours' },
    };
    return { values, close: () => service.close() };
  },
});

test('rejects a Milvus Lite file', async () => {
  const document = flow([node('Milvus-m', 'Milvus', { uri: './milvus.db', search_query: 'cat' })]);
  expect(await failureOf(runFlow(document, { show: 'Milvus-m' }))).toContain(
    'Milvus needs the address of a server',
  );
});
