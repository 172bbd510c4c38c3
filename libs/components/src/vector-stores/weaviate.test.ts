import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { fakeHandler, startFakeService, violation } from '../integrations/http/fake-service.fixture';
import type { FakeAnswer } from '../integrations/http/fake-service.fixture';
import {
  closedSchema,
  FakeVectorIndex,
  scalarSchema,
  vectorSchema,
} from '../integrations/vector-stores/fake-vector-index.fixture';
import { describeVectorStore } from './vector-store.contract';

const uuid = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const properties = {
  type: 'object',
  propertyNames: { pattern: '^[_A-Za-z][_0-9A-Za-z]*$', not: { enum: ['id', 'vector'] } },
  additionalProperties: scalarSchema,
};
const batch = closedSchema(
  {
    objects: {
      type: 'array',
      minItems: 1,
      items: closedSchema({ class: { type: 'string' }, id: uuid, properties, vector: vectorSchema }, [
        'class',
      ]),
    },
  },
  ['objects'],
);
const search =
  /^\{ Get \{ (\w+)\(nearVector: \{vector: (\[[^\]]*\])\}, limit: (\d+)\) \{ ([\w ]+) _additional \{ ([\w ]+) \} \} \} \}$/;

interface Given {
  readonly class: string;
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly vector: number[];
}

const typeOf = (value: unknown) => (typeof value === 'string' ? 'text' : typeof value);

/** Weaviate with its automatic schema: batches of objects, and vector queries in GraphQL. */
function createWeaviateHandler() {
  const classes = new Map<string, { storedVectors: FakeVectorIndex; types: Map<string, string> }>();
  return fakeHandler(({ path, method, headers, json }): FakeAnswer => {
    if (headers.authorization !== 'Bearer wv-good')
      return { status: 401, json: { code: 401, message: 'unauthorized' } };
    const [, name] = /^\/v1\/schema\/(\w+)$/.exec(path) ?? [];
    if (name !== undefined && method === 'GET') {
      const found = classes.get(name);
      if (found === undefined)
        return { status: 404, json: { error: [{ message: `class ${name} not found` }] } };
      const list = [...found.types].map(([property, type]) => ({ name: property, dataType: [type] }));
      return { json: { class: name, properties: list } };
    }
    if (path === '/v1/batch/objects' && method === 'POST') {
      const wrong = violation(batch, json);
      if (wrong !== null) return { status: 422, json: { error: [{ message: wrong }] } };
      return { json: (json as { objects: Given[] }).objects.map(store) };
    }
    if (path === '/v1/graphql' && method === 'POST') return query((json as { query: string }).query);
    return { status: 404, json: { code: 404, message: 'path was not found' } };
  });

  function store(object: Given): object {
    const found = classes.get(object.class) ?? {
      storedVectors: new FakeVectorIndex(object.vector.length),
      types: new Map<string, string>(),
    };
    classes.set(object.class, found);
    if (object.vector.length !== found.storedVectors.dimensions) {
      const message = `vector lengths don't match: ${found.storedVectors.dimensions} vs ${object.vector.length}`;
      return { ...object, result: { status: 'FAILED', errors: { error: [{ message }] } } };
    }
    for (const [property, value] of Object.entries(object.properties))
      found.types.set(property, typeOf(value));
    found.storedVectors.put({ id: object.id, vector: object.vector, fields: object.properties });
    return { ...object, result: { status: 'SUCCESS' } };
  }

  function query(text: string): FakeAnswer {
    const refuse = (message: string) => ({ json: { data: null, errors: [{ message }] } });
    const [, name = '', near = '[]', limit, fields = '', additional = ''] = search.exec(text) ?? [];
    const found = classes.get(name);
    if (found === undefined) return refuse(`Cannot query field "${name}" on type "GetObjectsObj".`);
    const unknown = fields.split(' ').find((field) => !found.types.has(field));
    if (unknown !== undefined) return refuse(`Cannot query field "${unknown}" on type "${name}".`);
    const vector = JSON.parse(near) as number[];
    if (vector.length !== found.storedVectors.dimensions) {
      return refuse(
        `explorer: vector search: vector lengths don't match: ${found.storedVectors.dimensions} vs ${vector.length}`,
      );
    }
    const objects = found.storedVectors.nearest(vector, Number(limit)).map((one) => ({
      ...Object.fromEntries(fields.split(' ').map((field) => [field, one.fields[field] ?? null])),
      _additional: {
        distance: 1 - one.score,
        ...(additional.includes('vector') ? { vector: one.vector } : {}),
      },
    }));
    return { json: { data: { Get: { [name]: objects } } } };
  }
}

describeVectorStore('Weaviate', {
  type: 'Weaviate',
  mismatch: /Weaviate refused: .*vector lengths don't match: 26 vs 8/,
  wrongKey: { api_key: 'wv-bad' },
  start: async () => {
    const service = await startFakeService(createWeaviateHandler());
    const values = { url: service.url, index_name: 'Pets', api_key: 'wv-good' };
    return { values, close: () => service.close() };
  },
});

test.each([
  ['pets', 'Weaviate requires the index name to be capitalized. Use: Pets'],
  ['Pets) { _additional { id } }', 'Weaviate needs an index name of letters and digits.'],
])('rejects an index named %j', async (index_name, message) => {
  const document = flow([node('Weaviate-w', 'Weaviate', { index_name, search_query: 'cat' })]);
  expect(await failureOf(runFlow(document, { show: 'Weaviate-w' }))).toContain(message);
});
