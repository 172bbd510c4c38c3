import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';
import { findPages } from './search-corpus.fixture';

/** The only key that the fakes of search engines accept. */
export const engineKey = 'engine-key-right';

/** SearchApi: results of an engine, with the key in a header or in the query. */
export function createSearchApiHandler(): FakeHandler {
  return fakeHandler(({ path, query, headers }) => {
    if (path !== '/api/v1/search') return { status: 404, json: { error: 'Not found' } };
    const key = headers.authorization?.replace('Bearer ', '') ?? query.get('api_key');
    if (key !== engineKey) return { status: 401, json: { error: 'Invalid API key' } };
    const engine = query.get('engine') ?? '';
    if (!['google', 'bing', 'duckduckgo'].includes(engine))
      return { status: 400, json: { error: `Unsupported ${engine} search engine.` } };
    return organic(query.get('q') ?? '', 'organic_results');
  });
}

/** SerpApi: results of Google, with the key in the query. */
export function createSerpApiHandler(): FakeHandler {
  return fakeHandler(({ path, query }) => {
    if (path !== '/search.json' && path !== '/search') return { status: 404, json: { error: 'Not found' } };
    const key = query.get('api_key');
    if (key !== engineKey)
      return {
        status: 401,
        json: {
          error: `Invalid API key: ${key}. Your API key should be here: https://serpapi.com/manage-api-key`,
        },
      };
    if (query.get('engine') !== 'google') return { status: 400, json: { error: 'Unsupported engine.' } };
    return organic(query.get('q') ?? '', 'organic_results');
  });
}

const serperSchema = {
  type: 'object',
  required: ['q'],
  properties: {
    q: { type: 'string' },
    gl: { type: 'string' },
    hl: { type: 'string' },
    num: { type: 'integer', minimum: 1, maximum: 100 },
  },
};

/** Serper: results of Google, requested as JSON. */
export function createSerperHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }: FakeRequest) => {
    if (method !== 'POST' || path !== '/search')
      return { status: 404, json: { message: 'Not Found', statusCode: 404 } };
    if (headers['x-api-key'] !== engineKey)
      return { status: 403, json: { message: 'Unauthorized.', statusCode: 403 } };
    const wrong = violation(serperSchema, json);
    if (wrong !== null) return { status: 400, json: { message: wrong, statusCode: 400 } };
    const { q, num = 10 } = json as { readonly q: string; readonly num?: number };
    return organic(q, 'organic', num);
  });
}

/** Google's Programmable Search. */
export function createGoogleSearchHandler(): FakeHandler {
  return fakeHandler(({ path, query }) => {
    if (path !== '/customsearch/v1') return { status: 404 };
    const num = Number(query.get('num') ?? 10);
    if (query.get('key') !== engineKey)
      return googleError(400, 'API key not valid. Please pass a valid API key.');
    if (query.get('cx') !== 'engine-id') return googleError(400, 'Request contains an invalid argument.');
    if (!(num >= 1 && num <= 10)) return googleError(400, 'Request contains an invalid argument.');
    return organic(query.get('q') ?? '', 'items', num);
  });
}

export function startEngine(create: () => FakeHandler): Promise<FakeService> {
  return startFakeService(create());
}

function organic(query: string, name: string, limit = 10): FakeAnswer {
  if (query === '') return { status: 400, json: { error: 'Missing query `q` parameter.' } };
  const results = findPages(query)
    .slice(0, limit)
    .map((page, index) => ({ position: index + 1, ...page }));
  return { json: { searchParameters: { q: query }, [name]: results } };
}

function googleError(code: number, message: string): FakeAnswer {
  return { status: code, json: { error: { code, message, status: 'INVALID_ARGUMENT' } } };
}
