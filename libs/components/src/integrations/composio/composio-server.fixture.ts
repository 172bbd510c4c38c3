import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

/** The only key and the only user that the fake accepts. */
export const composioKey = 'ak_right';
export const composioUser = 'default';

interface FakeAction {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly toolkit: { readonly slug: string };
  readonly input_parameters: object;
  readonly result: (given: Readonly<Record<string, unknown>>) => object;
}

const schema = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const actions: readonly FakeAction[] = [
  {
    slug: 'GMAIL_SEND_EMAIL',
    name: 'Send Email',
    description: 'Sends an email.',
    toolkit: { slug: 'gmail' },
    input_parameters: schema(['recipient_email'], {
      recipient_email: { type: 'string' },
      subject: { type: 'string' },
      cc: { type: 'array', items: { type: 'string' } },
      is_html: { type: 'boolean' },
    }),
    result: (given) => ({ id: 'mail-1', sent: given }),
  },
  {
    slug: 'GMAIL_FETCH_EMAILS',
    name: 'Fetch emails',
    description: 'Fetches emails.',
    toolkit: { slug: 'gmail' },
    input_parameters: schema([], { query: { type: 'string' }, max_results: { type: 'integer', default: 2 } }),
    result: ({ query = '', max_results = 2 }) => ({
      messages: Array.from({ length: Number(max_results) }, (_, index) => ({
        subject: `${String(query)} ${index + 1}`,
      })),
    }),
  },
  {
    slug: 'GOOGLECALENDAR_FIND_EVENT',
    name: 'Find event',
    description: 'Finds events.',
    toolkit: { slug: 'googlecalendar' },
    input_parameters: schema([], { query: { type: 'string' } }),
    result: ({ query }) => ({ event: `about ${String(query)}` }),
  },
];

const executeSchema = {
  type: 'object',
  required: ['user_id', 'arguments'],
  properties: { user_id: { type: 'string' }, arguments: { type: 'object' }, version: { type: 'string' } },
  additionalProperties: false,
};

/** Returns a fake of version 3 of Composio's API: tools and their execution. */
export function createComposioHandler(): FakeHandler {
  return fakeHandler((request) => {
    if (request.headers['x-api-key'] !== composioKey)
      return errorAnswer(401, `Invalid API key: ${String(request.headers['x-api-key'])}`);
    if (request.path === '/api/v3/tools' && request.method === 'GET') return list(request);
    const slug = /^\/api\/v3\/tools\/execute\/(\w+)$/.exec(request.path)?.[1];
    return slug !== undefined && request.method === 'POST'
      ? execute(slug, request)
      : errorAnswer(404, 'Not found');
  });
}

export function startComposio(): Promise<FakeService> {
  return startFakeService(createComposioHandler());
}

function list({ query }: FakeRequest): FakeAnswer {
  const slugs = query.get('tool_slugs')?.split(',');
  const toolkit = query.get('toolkit_slug');
  const items = actions
    .filter(({ slug }) => slugs?.includes(slug) ?? true)
    .filter((action) => toolkit === null || action.toolkit.slug === toolkit)
    .map(({ result: _result, ...item }) => item);
  return { json: { items, total_items: items.length, total_pages: 1, current_page: 1, next_cursor: null } };
}

function execute(slug: string, { json }: FakeRequest): FakeAnswer {
  const action = actions.find((one) => one.slug === slug);
  if (action === undefined) return errorAnswer(404, `Tool ${slug} not found`);
  const requestError = violation(executeSchema, json);
  if (requestError !== null) return errorAnswer(400, requestError);
  const { user_id, arguments: given } = json as {
    readonly user_id: string;
    readonly arguments: Record<string, unknown>;
  };
  if (user_id !== composioUser) return errorAnswer(400, `No connected account found for user ${user_id}`);
  const argumentError = violation(action.input_parameters, given);
  const session = { session_info: null, log_id: 'log_1' };
  return argumentError === null
    ? { json: { data: action.result(given), successful: true, error: null, ...session } }
    : { json: { data: {}, successful: false, error: argumentError, ...session } };
}

function errorAnswer(status: number, message: string): FakeAnswer {
  return { status, json: { error: { message, status, request_id: 'req_1' } } };
}
