import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';
import { findPages } from '../search-engines/search-corpus.fixture';
import type { CorpusPage } from '../search-engines/search-corpus.fixture';

/** The only key that the fake accepts. */
export const exaKey = 'exa-right';

const domains = { type: 'array', items: { type: 'string' } };
const schemas: Readonly<Record<string, object>> = {
  '/search': {
    type: 'object',
    required: ['query'],
    properties: {
      query: { type: 'string', minLength: 1 },
      type: { enum: ['auto', 'fast', 'instant', 'deep', 'neural', 'keyword'] },
      numResults: { type: 'integer', minimum: 1, maximum: 100 },
      contents: { type: 'object' },
      category: { type: 'string' },
      includeDomains: domains,
      excludeDomains: domains,
      startPublishedDate: { type: 'string' },
      endPublishedDate: { type: 'string' },
    },
    additionalProperties: false,
  },
  '/contents': {
    type: 'object',
    required: ['ids'],
    properties: {
      ids: { ...domains, minItems: 1 },
      text: { type: 'boolean' },
      highlights: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  '/findSimilar': {
    type: 'object',
    required: ['url'],
    properties: { url: { type: 'string' }, numResults: { type: 'integer' } },
    additionalProperties: false,
  },
};

/** Exa's search, contents and similar pages. */
export function createExaHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }) => {
    const schema = schemas[path];
    if (method !== 'POST' || schema === undefined) return refusal(404, 'Not found');
    if (headers['x-api-key'] !== exaKey) return refusal(401, 'x-api-key header is invalid');
    const wrong = violation(schema, json);
    if (wrong !== null) return refusal(400, wrong);
    const {
      query,
      numResults = 10,
      ids,
      url,
    } = json as {
      readonly query?: string;
      readonly numResults?: number;
      readonly ids?: readonly string[];
      readonly url?: string;
    };
    const named = findPages('is river')
      .concat(findPages('grain'))
      .filter(({ link }) => ids?.includes(link) ?? link !== url);
    const found = query === undefined ? named : findPages(query);
    return { json: { requestId: 'r-1', results: found.slice(0, numResults).map(resultOf) } };
  });
}

export function startExa(): Promise<FakeService> {
  return startFakeService(createExaHandler());
}

function resultOf({ title, link, snippet }: CorpusPage) {
  return { id: link, url: link, title, highlights: [snippet] };
}

function refusal(status: number, error: string): FakeAnswer {
  return { status, json: { requestId: 'r-1', error, tag: 'REFUSED' } };
}
