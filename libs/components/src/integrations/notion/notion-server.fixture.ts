import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';

/** The only secret that the fake accepts. */
export const notionSecret = 'secret_right';

const words = (content: string) => [{ type: 'text', text: { content }, plain_text: content }];
const pages = ['Mills', 'Rivers'].map((title, index) => ({
  object: 'page',
  id: `p-${index + 1}`,
  url: `https://notion.test/${title}`,
  last_edited_time: '2026-01-01T00:00:00.000Z',
  properties: { Name: { id: 'title', type: 'title', title: words(title) } },
}));
const database = {
  object: 'database',
  id: 'd-1',
  url: 'https://notion.test/d',
  title: words('Works'),
  properties: { Name: { id: 'title', type: 'title', title: {} } },
};

const searchSchema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    filter: {
      type: 'object',
      required: ['value', 'property'],
      properties: { value: { enum: ['page', 'database'] }, property: { const: 'object' } },
    },
    sort: {
      type: 'object',
      properties: {
        direction: { enum: ['ascending', 'descending'] },
        timestamp: { const: 'last_edited_time' },
      },
    },
  },
  additionalProperties: false,
};
const childrenSchema = {
  type: 'object',
  required: ['children'],
  properties: {
    children: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['object', 'type'],
        properties: {
          type: {
            enum: [
              'paragraph',
              'heading_1',
              'heading_2',
              'heading_3',
              'bulleted_list_item',
              'numbered_list_item',
              'quote',
              'code',
              'divider',
            ],
          },
        },
      },
    },
  },
  additionalProperties: false,
};

/** A Notion workspace with two pages and a database. */
export function createNotionHandler(): FakeHandler {
  return fakeHandler((request) => {
    const { method, path, headers, json } = request;
    if (headers.authorization !== `Bearer ${notionSecret}`)
      return refusal(401, 'unauthorized', 'API token is invalid.');
    if (headers['notion-version'] === undefined)
      return refusal(400, 'missing_version', 'Notion-Version header should be defined.');
    switch (`${method} ${path}`) {
      case 'GET /v1/users':
        return {
          json: {
            object: 'list',
            results: [{ object: 'user', id: 'u-1', type: 'person', name: 'Ada', avatar_url: null }],
          },
        };
      case 'POST /v1/search':
        return search(request);
      case 'POST /v1/pages':
        return write(
          json,
          (json as { readonly parent?: { readonly database_id?: string } } | undefined)?.parent
            ?.database_id === 'd-1',
          'p-new',
        );
      case 'PATCH /v1/pages/p-1':
        return write(json, true, 'p-1');
      case 'GET /v1/databases/d-1':
        return { json: database };
      case 'PATCH /v1/blocks/p-1/children': {
        const wrong = violation(childrenSchema, json);
        return wrong === null
          ? { json: { object: 'list', results: (json as { readonly children: unknown }).children } }
          : refusal(400, 'validation_error', wrong);
      }
      default:
        return refusal(404, 'object_not_found', `Could not find ${path}.`);
    }
  });
}

export function startNotion(): Promise<FakeService> {
  return startFakeService(createNotionHandler());
}

function search({ json }: FakeRequest): FakeAnswer {
  const wrong = violation(searchSchema, json);
  if (wrong !== null) return refusal(400, 'validation_error', wrong);
  const { query = '', filter } = json as {
    readonly query?: string;
    readonly filter?: { readonly value: string };
  };
  const results = [...pages, database].filter(
    ({ object, url }) => object === filter?.value && url.includes(query),
  );
  return { json: { object: 'list', results } };
}

function write(json: unknown, isThere: boolean, id: string): FakeAnswer {
  const { properties } = (json ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> };
  if (!isThere) return refusal(404, 'object_not_found', 'Could not find database.');
  const unknown = Object.keys(properties ?? {}).find((name) => name !== 'Name');
  return unknown === undefined
    ? { json: { object: 'page', id, properties } }
    : refusal(400, 'validation_error', `${unknown} is not a property that exists.`);
}

function refusal(status: number, code: string, message: string): FakeAnswer {
  return { status, json: { object: 'error', status, code, message } };
}
