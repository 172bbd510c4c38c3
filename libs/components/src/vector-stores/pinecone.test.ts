import { fakeHandler, fetchFrom, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer } from '../http/fake-service.fixture';
import { closedSchema, HeldVectors, scalarSchema, vectorSchema } from './held-vectors.fixture';
import { describeVectorStore } from './vector-store.contract';

const host = 'pets-abc.svc.aped.pinecone.io';
const metadata = { type: 'object', additionalProperties: scalarSchema };
const bodies: Readonly<Record<string, object>> = {
  '/vectors/upsert': closedSchema(
    {
      namespace: { type: 'string' },
      vectors: {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: closedSchema({ id: { type: 'string' }, values: vectorSchema, metadata }, ['id', 'values']),
      },
    },
    ['vectors'],
  ),
  '/query': closedSchema(
    {
      vector: vectorSchema,
      topK: { type: 'integer', minimum: 1, maximum: 10_000 },
      namespace: { type: 'string' },
      includeMetadata: { type: 'boolean' },
      includeValues: { type: 'boolean' },
    },
    ['vector', 'topK'],
  ),
};

interface Body {
  readonly vectors: { id: string; values: number[]; metadata: object }[];
  readonly vector: number[];
  readonly topK: number;
  readonly namespace?: string;
  readonly includeValues?: boolean;
}

/** Pinecone: one index, its address at the control plane and its vectors, by namespace, at its own host. */
function createPineconeHandler() {
  const namespaces = new Map<string, HeldVectors>();
  return fakeHandler(({ path, method, headers, json }): FakeAnswer => {
    if (headers['api-key'] !== 'pc-good') return { status: 401, text: 'Invalid API Key' };
    if (path === '/indexes/pets' && method === 'GET') return { json: { name: 'pets', host, dimension: 26 } };
    const schema = bodies[path];
    if (schema === undefined || method !== 'POST') {
      return {
        status: 404,
        json: { error: { code: 'NOT_FOUND', message: 'Resource not found' }, status: 404 },
      };
    }
    const wrong = violation(schema, json);
    if (wrong !== null) return { status: 400, json: { code: 3, message: wrong, details: [] } };
    const { vectors = [], vector = [], topK, namespace = '', includeValues } = json as Body;
    const held = namespaces.get(namespace) ?? new HeldVectors(26);
    namespaces.set(namespace, held);
    const size = (vectors[0]?.values ?? vector).length;
    if (size !== 26) {
      const message = `Vector dimension ${size} does not match the dimension of the index 26`;
      return { status: 400, json: { code: 3, message, details: [] } };
    }
    if (path === '/vectors/upsert') {
      for (const one of vectors) held.put({ id: one.id, vector: one.values, fields: { ...one.metadata } });
      return { json: { upsertedCount: vectors.length } };
    }
    const matches = held.nearest(vector, topK).map(({ id, score, fields, vector: values }) => ({
      id,
      score,
      metadata: fields,
      ...(includeValues === true ? { values } : {}),
    }));
    return { json: { matches, namespace } };
  });
}

describeVectorStore('Pinecone', {
  type: 'Pinecone',
  mismatch: /Pinecone answered with status 400.*dimension 8 does not match the dimension of the index 26/,
  wrongKey: { pinecone_api_key: 'pc-bad' },
  start: async () => {
    const service = await startFakeService(createPineconeHandler());
    const pinecone = fetchFrom({ 'api.pinecone.io': service, [host]: service });
    const values = { index_name: 'pets', namespace: 'ours', pinecone_api_key: 'pc-good' };
    return {
      values,
      fetch: (input, init) =>
        new URL(String(input)).hostname === '127.0.0.1' ? fetch(input, init) : pinecone(input, init),
      close: () => service.close(),
    };
  },
});
