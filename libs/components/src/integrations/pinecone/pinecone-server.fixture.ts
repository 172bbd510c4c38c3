import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler } from '../http/fake-service.fixture';
import {
  closedSchema,
  FakeVectorIndex,
  scalarSchema,
  vectorSchema,
} from '../vector-stores/fake-vector-index.fixture';

/** The host of the index. */
export const pineconeHost = 'pets-abc.svc.aped.pinecone.io';
/** The only key that the fake accepts. */
export const pineconeKey = 'pc-good';

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

/**
 * Pinecone with one index: its address at the control plane and its vectors, by namespace, at its own host. All vectors
 * have the index's dimension; if that is null, the dimension of the first one.
 */
export function createPineconeHandler({
  dimension: made = 26,
}: { readonly dimension?: number | null } = {}): FakeHandler {
  let dimension = made;
  const namespaces = new Map<string, FakeVectorIndex>();
  return fakeHandler(({ path, method, headers, json }): FakeAnswer => {
    if (headers['api-key'] !== pineconeKey) return { status: 401, text: 'Invalid API Key' };
    if (path === '/indexes/pets' && method === 'GET')
      return { json: { name: 'pets', host: pineconeHost, dimension } };
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
    const size = (vectors[0]?.values ?? vector).length;
    dimension ??= size;
    if (size !== dimension) {
      const message = `Vector dimension ${size} does not match the dimension of the index ${dimension}`;
      return { status: 400, json: { code: 3, message, details: [] } };
    }
    const storedVectors = namespaces.get(namespace) ?? new FakeVectorIndex(dimension);
    namespaces.set(namespace, storedVectors);
    if (path === '/vectors/upsert') {
      for (const one of vectors)
        storedVectors.put({ id: one.id, vector: one.values, fields: { ...one.metadata } });
      return { json: { upsertedCount: vectors.length } };
    }
    const matches = storedVectors.nearest(vector, topK).map(({ id, score, fields, vector: values }) => ({
      id,
      score,
      metadata: fields,
      ...(includeValues === true ? { values } : {}),
    }));
    return { json: { matches, namespace } };
  });
}
