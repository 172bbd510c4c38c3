import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';

const texts = { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } };
const cohereSchema = {
  type: 'object',
  required: ['model', 'texts', 'input_type', 'embedding_types'],
  additionalProperties: false,
  properties: {
    model: { type: 'string', minLength: 1 },
    texts: { ...texts, maxItems: 96 },
    input_type: { enum: ['search_document', 'search_query', 'classification', 'clustering'] },
    embedding_types: { type: 'array', items: { enum: ['float', 'int8', 'base64'] } },
    truncate: { enum: ['NONE', 'START', 'END'] },
    output_dimension: { enum: [256, 512, 1024, 1536] },
  },
};
const rerankSchema = {
  type: 'object',
  required: ['model', 'query', 'documents'],
  additionalProperties: false,
  properties: {
    model: { type: 'string', pattern: '^rerank-' },
    query: { type: 'string', minLength: 1 },
    documents: { type: 'array', minItems: 1, maxItems: 10_000, items: { type: 'string' } },
    top_n: { type: 'integer', minimum: 1 },
  },
};
const inferenceSchema = {
  type: 'object',
  required: ['inputs'],
  properties: { inputs: { ...texts, maxItems: 32 } },
};

/**
 * Answers like Cohere's API; a vector contains a text's length, its first letter and its purpose. The relevance of a text
 * is the part of the query's words that it contains.
 */
export function createCohereHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }) => {
    if (headers.authorization === 'Bearer wrong')
      return { status: 401, json: { message: 'invalid api token' } };
    if (method === 'POST' && path === '/v2/rerank') return rerank(json);
    if (method !== 'POST' || path !== '/v2/embed') return { status: 404, json: { message: 'not found' } };
    const wrong = violation(cohereSchema, json);
    if (wrong !== null) return { status: 400, json: { id: '1', message: wrong } };
    const body = json as { readonly texts: readonly string[]; readonly input_type: string };
    const float = body.texts.map((text) => [...vectorOf(text), body.input_type === 'search_query' ? 1 : 0]);
    return {
      json: { id: '1', embeddings: { float }, texts: body.texts, response_type: 'embeddings_by_type' },
    };
  });
}

function rerank(json: unknown): FakeAnswer {
  const wrong = violation(rerankSchema, json);
  if (wrong !== null) return { status: 400, json: { id: '1', message: wrong } };
  const { query, documents, top_n } = json as {
    readonly query: string;
    readonly documents: readonly string[];
    readonly top_n?: number;
  };
  const words = query.split(' ');
  const results = documents
    .map((text, index) => ({
      index,
      relevance_score: words.filter((word) => text.includes(word)).length / words.length,
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, top_n);
  return { json: { id: '1', results, meta: { api_version: { version: '2' } } } };
}

/** Answers like Hugging Face's feature extraction, hosted (under a model's path) or self-hosted. */
export function createInferenceHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }): FakeAnswer => {
    const isHosted = path.startsWith('/hf-inference/');
    if (isHosted && !/^\/hf-inference\/models\/[^/]+\/[^/]+\/pipeline\/feature-extraction$/.test(path)) {
      return { status: 404, json: { error: 'Model not found' } };
    }
    if (isHosted && headers.authorization !== 'Bearer a-key') {
      return { status: 401, json: { error: 'Invalid username or password.' } };
    }
    if (method !== 'POST') return { status: 405, text: 'Method Not Allowed' };
    const wrong = violation(inferenceSchema, json);
    if (wrong !== null) return { status: 422, json: { error: wrong, error_type: 'Validation' } };
    return { json: (json as { readonly inputs: readonly string[] }).inputs.map(vectorOf) };
  });
}

/** Starts a fake of Cohere's API on a free port. */
export function startCohereServer(): Promise<FakeService> {
  return startFakeService(createCohereHandler());
}

/** Starts a fake of Hugging Face's feature extraction on a free port. */
export function startInferenceServer(): Promise<FakeService> {
  return startFakeService(createInferenceHandler());
}

function vectorOf(text: string): readonly number[] {
  return [text.length, text.charCodeAt(0)];
}
