import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

/** The only key that the fake accepts. */
export const tavilyKey = 'tvly-dev-right';

const pages = [
  {
    title: 'Rivers of Europe',
    url: 'https://rivers.test/europe',
    text: 'The Danube and the Rhine are rivers.',
  },
  { title: 'Mills', url: 'https://mills.test/', text: 'A mill stands on a river and grinds grain.' },
  { title: 'Bread', url: 'https://bread.test/', text: 'Bread is made of grain.' },
];

const searchSchema = {
  type: 'object',
  required: ['query'],
  properties: {
    api_key: { type: 'string' },
    query: { type: 'string', minLength: 1, maxLength: 400 },
    search_depth: { enum: ['basic', 'advanced', 'fast', 'ultra-fast'] },
    topic: { enum: ['general', 'news', 'finance'] },
    max_results: { type: 'integer', minimum: 0, maximum: 20 },
    chunks_per_source: { type: 'integer', minimum: 1, maximum: 3 },
    days: { type: 'integer', minimum: 1 },
    time_range: { enum: ['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'] },
    include_answer: { type: ['boolean', 'string'] },
    include_images: { type: 'boolean' },
    include_raw_content: { type: ['boolean', 'string'] },
    include_domains: { type: 'array', items: { type: 'string' }, maxItems: 300 },
    exclude_domains: { type: 'array', items: { type: 'string' }, maxItems: 150 },
  },
};
const extractSchema = {
  type: 'object',
  required: ['urls'],
  properties: {
    urls: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 20 },
    extract_depth: { enum: ['basic', 'advanced'] },
    include_images: { type: 'boolean' },
  },
};

/** Tavily's search and extraction on a few pages. */
export function createTavilyHandler(): FakeHandler {
  return fakeHandler((request) => {
    const answer = { '/search': search, '/extract': extract }[request.path];
    if (answer === undefined || request.method !== 'POST') return refusal(404, 'Not Found');
    const body = request.json as { readonly api_key?: string } | undefined;
    const bearer = request.headers.authorization?.replace(/^Bearer /, '');
    if ((bearer ?? body?.api_key) !== tavilyKey)
      return refusal(401, 'Unauthorized: missing or invalid API key.');
    return answer(request);
  });
}

export function startTavilyServer(): Promise<FakeService> {
  return startFakeService(createTavilyHandler());
}

interface SearchBody {
  readonly query: string;
  readonly max_results?: number;
  readonly include_answer?: boolean;
  readonly include_images?: boolean;
  readonly include_raw_content?: boolean;
  readonly include_domains?: readonly string[];
  readonly exclude_domains?: readonly string[];
}

function search({ json }: FakeRequest): FakeAnswer {
  const wrong = violation(searchSchema, json);
  if (wrong !== null) return refusal(400, wrong);
  const body = json as SearchBody;
  const words = body.query
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word.length > 2);
  const found = pages
    .filter(({ url }) => body.include_domains?.includes(new URL(url).host) ?? true)
    .filter(({ url }) => !(body.exclude_domains ?? []).includes(new URL(url).host))
    .map((page) => ({ page, hits: words.filter((word) => page.text.toLowerCase().includes(word)).length }))
    .filter(({ hits }) => hits > 0)
    .sort((one, other) => other.hits - one.hits)
    .slice(0, body.max_results ?? 5);
  return {
    json: {
      query: body.query,
      follow_up_questions: null,
      answer: body.include_answer === true ? `${found.length} pages on ${body.query}` : null,
      images: body.include_images === true ? found.map(({ page }) => `${page.url}image.png`) : [],
      results: found.map(({ page, hits }) => ({
        title: page.title,
        url: page.url,
        content: page.text,
        score: hits / words.length,
        raw_content: body.include_raw_content === true ? `# ${page.title}\n${page.text}` : null,
      })),
      response_time: 0.1,
    },
  };
}

function extract({ json }: FakeRequest): FakeAnswer {
  const wrong = violation(extractSchema, json);
  if (wrong !== null) return refusal(400, wrong);
  const { urls } = json as { readonly urls: readonly string[] };
  const known = (wanted: string) => pages.find(({ url }) => url === wanted);
  return {
    json: {
      results: urls.flatMap((url) => {
        const page = known(url);
        return page === undefined ? [] : [{ url, raw_content: page.text, images: [] }];
      }),
      failed_results: urls
        .filter((url) => known(url) === undefined)
        .map((url) => ({ url, error: 'Failed to fetch url' })),
      response_time: 0.1,
    },
  };
}

function refusal(status: number, error: string): FakeAnswer {
  return { status, json: { detail: { error } } };
}
