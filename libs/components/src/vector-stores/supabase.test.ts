import { fakeHandler, startFakeService, violation } from '../integrations/http/fake-service.fixture';
import type { FakeAnswer } from '../integrations/http/fake-service.fixture';
import {
  closedSchema,
  FakeVectorIndex,
  vectorSchema,
} from '../integrations/vector-stores/fake-vector-index.fixture';
import { describeVectorStore } from './vector-store.contract';

const rows = {
  type: 'array',
  minItems: 1,
  items: closedSchema(
    {
      id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
      content: { type: 'string' },
      metadata: { type: 'object' },
      embedding: vectorSchema,
    },
    ['content', 'embedding'],
  ),
};
const query = closedSchema({ query_embedding: vectorSchema }, ['query_embedding']);

interface Row {
  readonly id: string;
  readonly content: string;
  readonly metadata: object;
  readonly embedding: number[];
}

/** PostgREST with a table of texts with vectors of 26 numbers and the function that compares them. */
function createSupabaseHandler() {
  const storedRows = new FakeVectorIndex(26);
  const refuse = (status: number, code: string, message: string): FakeAnswer => ({
    status,
    json: { code, message, details: null, hint: null },
  });
  return fakeHandler(({ path, method, headers, json, query: parameters }) => {
    if (headers.apikey !== 'sb-good' || headers.authorization !== 'Bearer sb-good') {
      return { status: 401, json: { message: 'Invalid API key', hint: 'Double check your API key.' } };
    }
    if (method !== 'POST') return refuse(405, '42501', 'not allowed');
    if (path === '/rest/v1/pets') {
      const wrong = violation(rows, json);
      if (wrong !== null) return refuse(400, 'PGRST102', wrong);
      for (const { id, embedding, ...fields } of json as Row[]) {
        if (embedding.length !== 26)
          return refuse(400, '22000', `expected 26 dimensions, not ${embedding.length}`);
        storedRows.put({ id, vector: embedding, fields });
      }
      return { status: 201 };
    }
    if (path !== '/rest/v1/rpc/match_pets') {
      return refuse(404, 'PGRST202', `Could not find the function or table ${path}`);
    }
    const wrong = violation(query, json);
    if (wrong !== null) return refuse(400, 'PGRST102', wrong);
    const { query_embedding: vector } = json as { query_embedding: number[] };
    if (vector.length !== 26)
      return refuse(400, '22000', `different vector dimensions 26 and ${vector.length}`);
    const found = storedRows.nearest(vector, Number(parameters.get('limit') ?? 1000));
    return { json: found.map(({ id, score, fields }) => ({ id, ...fields, similarity: score })) };
  });
}

describeVectorStore('Supabase', {
  type: 'SupabaseVectorStore',
  mismatch: /Supabase answered with status 400.*different vector dimensions 26 and 8/,
  wrongKey: { supabase_service_key: 'sb-bad' },
  start: async () => {
    const service = await startFakeService(createSupabaseHandler());
    return {
      values: {
        supabase_url: service.url,
        supabase_service_key: 'sb-good',
        table_name: 'pets',
        query_name: 'match_pets',
      },
      close: () => service.close(),
    };
  },
});
