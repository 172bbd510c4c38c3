import { fakeHandler, startFakeService, violation } from '../integrations/http/fake-service.fixture';
import type { FakeAnswer } from '../integrations/http/fake-service.fixture';
import {
  closedSchema,
  FakeVectorIndex,
  vectorSchema,
} from '../integrations/vector-stores/fake-vector-index.fixture';
import { resourcesWithVectors } from '../testing/local-vectors.fixture';
import { describeVectorStore } from './vector-store.contract';

const uuid = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const bodies: Readonly<Record<string, object>> = {
  'PUT ': closedSchema(
    {
      vectors: closedSchema(
        {
          size: { type: 'integer', minimum: 1 },
          distance: { enum: ['Cosine', 'Euclid', 'Dot', 'Manhattan'] },
        },
        ['size', 'distance'],
      ),
    },
    ['vectors'],
  ),
  'PUT /points': closedSchema(
    {
      points: {
        type: 'array',
        items: closedSchema({ id: uuid, vector: vectorSchema, payload: { type: 'object' } }, [
          'id',
          'vector',
        ]),
      },
    },
    ['points'],
  ),
  'POST /points/search': closedSchema(
    {
      vector: vectorSchema,
      limit: { type: 'integer', minimum: 1 },
      with_payload: { type: 'boolean' },
      with_vector: { type: 'boolean' },
    },
    ['vector', 'limit'],
  ),
};

interface Body {
  readonly vectors: { size: number };
  readonly points: { id: string; vector: number[]; payload: object }[];
  readonly vector: number[];
  readonly limit: number;
}

/** Qdrant's collections and points. */
function createQdrantHandler() {
  const collections = new Map<string, FakeVectorIndex>();
  const refuse = (status: number, error: string): FakeAnswer => ({
    status,
    json: { status: { error }, time: 0 },
  });
  return fakeHandler(({ path, method, headers, json }) => {
    if (headers['api-key'] !== 'qd-good') return { status: 403, text: 'Must provide an API key' };
    const [, name = '', rest = ''] = /^\/vectors\/collections\/([^/]+)(\/.*)?$/.exec(path) ?? [];
    const collection = collections.get(name);
    if (method === 'GET' && rest === '') {
      if (collection === undefined) return refuse(404, `Not found: Collection \`${name}\` doesn't exist!`);
      return { json: { result: { status: 'green' }, status: 'ok' } };
    }
    const schema = bodies[`${method} ${rest}`];
    if (schema === undefined || name === '') return refuse(404, 'no such route');
    const wrong = violation(schema, json);
    if (wrong !== null) return refuse(400, `Format error in JSON body: ${wrong}`);
    const { vectors, points = [], vector = [], limit } = json as Body;
    if (rest === '') {
      collections.set(name, new FakeVectorIndex(vectors.size));
      return { json: { result: true, status: 'ok' } };
    }
    if (collection === undefined) return refuse(404, `Not found: Collection \`${name}\` doesn't exist!`);
    const size = (points[0]?.vector ?? vector).length;
    if (size !== collection.dimensions) {
      return refuse(
        400,
        `Wrong input: Vector dimension error: expected dim: ${collection.dimensions}, got ${size}`,
      );
    }
    for (const point of points) collection.put({ ...point, fields: { ...point.payload } });
    if (rest === '/points') return { json: { result: { status: 'completed' }, status: 'ok' } };
    const result = collection
      .nearest(vector, limit)
      .map(({ id, score, fields }) => ({ id, score, payload: fields }));
    return { json: { result, status: 'ok' } };
  });
}

describeVectorStore('Qdrant', {
  type: 'QdrantVectorStoreComponent',
  mismatch: /Qdrant answered with status 400.*expected dim: 26, got 8/,
  wrongKey: { api_key: 'qd-bad' },
  start: async () => {
    const service = await startFakeService(createQdrantHandler());
    const values = { collection_name: 'pets', url: service.url, prefix: '/vectors/', api_key: 'qd-good' };
    return { values, close: () => service.close() };
  },
});

describeVectorStore('Qdrant in a folder', {
  type: 'QdrantVectorStoreComponent',
  mismatch: /holds vectors of 26 dimensions; one of 8 does not fit/,
  start: () =>
    Promise.resolve({
      values: { collection_name: 'pets', path: './qdrant' },
      resources: resourcesWithVectors(),
      close: () => Promise.resolve(),
    }),
});
