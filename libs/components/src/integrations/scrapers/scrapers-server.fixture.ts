import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

/** The only key that the fakes of scraping services accept. */
export const scraperKey = 'scraper-right';

const scrapeSchema = {
  type: 'object',
  required: ['url', 'formats'],
  properties: {
    url: { type: 'string', pattern: '^https?://' },
    formats: {
      type: 'array',
      items: { enum: ['markdown', 'html', 'rawHtml', 'links', 'extract'] },
      minItems: 1,
    },
    onlyMainContent: { type: 'boolean' },
    timeout: { type: 'integer', minimum: 1 },
    extract: { type: 'object' },
  },
  additionalProperties: false,
};
const crawlSchema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', pattern: '^https?://' },
    limit: { type: 'integer' },
    maxDepth: { type: 'integer' },
    scrapeOptions: { type: 'object' },
  },
};

/** Firecrawl: single pages, and crawls that finish at the second status request and return two pages of results. */
export function createFirecrawlHandler(): FakeHandler {
  const crawls: { readonly url: string; statusRequests: number }[] = [];
  return fakeHandler((request) => {
    const { method, path, json, headers, query } = request;
    const refusal = (status: number, error: string): FakeAnswer => ({
      status,
      json: { success: false, error },
    });
    if (headers.authorization !== `Bearer ${scraperKey}`) return refusal(401, 'Unauthorized: Invalid token');
    const kind = { '/v1/scrape': scrapeSchema, '/v1/crawl': crawlSchema }[path];
    if (method === 'POST' && kind !== undefined) {
      const wrong = violation(kind, json);
      if (wrong !== null) return refusal(400, `Bad Request: ${wrong}`);
      const { url } = json as { readonly url: string };
      if (path === '/v1/scrape') return { json: { success: true, data: pageOf(url) } };
      // A text that is not a UUID gets the same response.
      const key = headers['x-idempotency-key'];
      if (key !== undefined && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(String(key)))
        return refusal(409, 'Idempotency key already used');
      crawls.push({ url, statusRequests: 0 });
      return {
        json: {
          success: true,
          id: String(crawls.length),
          url: `https://api.firecrawl.dev/v1/crawl/${crawls.length}`,
        },
      };
    }
    const crawl = crawls[Number(/^\/v1\/crawl\/(\d+)$/.exec(path)?.[1]) - 1];
    if (method !== 'GET' || crawl === undefined) return refusal(404, 'Job not found');
    crawl.statusRequests += 1;
    if (crawl.statusRequests < 2) return { json: { success: true, status: 'scraping', data: [] } };
    return query.get('skip') === '1'
      ? { json: { success: true, status: 'completed', data: [pageOf(`${crawl.url}/two`)] } }
      : {
          json: {
            success: true,
            status: 'completed',
            next: 'https://api.firecrawl.dev/v1/crawl/1?skip=1',
            data: [pageOf(crawl.url)],
          },
        };
  });
}

/** ScrapeGraph's search, with answers in prose. */
export function createScrapeGraphHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }: FakeRequest) => {
    if (method !== 'POST' || path !== '/v1/searchscraper')
      return { status: 404, json: { detail: 'Not Found' } };
    if (headers['sgai-apikey'] !== scraperKey) return { status: 403, json: { error: 'Invalid API key' } };
    const { user_prompt = '' } = (json ?? {}) as { readonly user_prompt?: string };
    if (user_prompt.length < 3)
      return {
        status: 422,
        json: { detail: [{ loc: ['body', 'user_prompt'], msg: 'String should have at least 3 characters' }] },
      };
    return {
      json: {
        request_id: 'r-1',
        status: 'completed',
        user_prompt,
        result: { about: user_prompt },
        reference_urls: [],
        error: '',
      },
    };
  });
}

const agentQlSchema = {
  type: 'object',
  required: ['url'],
  properties: {
    url: { type: 'string', pattern: '^https?://' },
    query: { type: ['string', 'null'] },
    prompt: { type: ['string', 'null'] },
    params: {
      type: 'object',
      properties: {
        mode: { enum: ['fast', 'standard'] },
        wait_for: { type: 'integer', minimum: 0, maximum: 10 },
      },
    },
    metadata: { type: 'object' },
  },
  additionalProperties: false,
};

/** AgentQL's queries over a page. */
export function createAgentQlHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }: FakeRequest) => {
    if (method !== 'POST' || path !== '/v1/query-data') return { status: 404, json: { detail: 'Not Found' } };
    if (headers['x-api-key'] !== scraperKey) return { status: 401, json: { detail: 'Invalid API key' } };
    const wrong = violation(agentQlSchema, json);
    if (wrong !== null) return { status: 422, json: { error_info: wrong } };
    const { url, query, prompt } = json as {
      readonly url: string;
      readonly query: string | null;
      readonly prompt: string | null;
    };
    return { json: { data: { asked: query ?? prompt, of: url }, metadata: { request_id: 'r-1' } } };
  });
}

export function startScraper(create: () => FakeHandler): Promise<FakeService> {
  return startFakeService(create());
}

function pageOf(url: string) {
  return { markdown: `# Page\nabout ${url}`, metadata: { title: 'Page', sourceURL: url, statusCode: 200 } };
}
