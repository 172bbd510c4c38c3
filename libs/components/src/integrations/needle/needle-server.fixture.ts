import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';
import { findPages } from '../search-engines/search-corpus.fixture';

/** The only key that the fake accepts. */
export const needleKey = 'needle-right';

const schema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string', minLength: 1 },
    top_k: { type: 'integer', minimum: 1 },
    max_distance: { type: 'number' },
  },
  additionalProperties: false,
};

/** Needle's search; every collection contains the whole corpus. */
export function createNeedleHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }) => {
    if (method !== 'POST' || !/^\/api\/v1\/collections\/[^/]+\/search$/.test(path)) {
      return refusal(404, 'Not found');
    }
    if (headers['x-api-key'] !== needleKey) return refusal(401, 'Unauthorized');
    const wrong = violation(schema, json);
    if (wrong !== null) return refusal(400, wrong);
    const { text, top_k } = json as { readonly text: string; readonly top_k?: number };
    const result = findPages(text)
      .slice(0, top_k)
      .map(({ link, snippet }) => ({ id: link, content: snippet, file_id: `file-of-${link}` }));
    return { json: { result } };
  });
}

export function startNeedle(): Promise<FakeService> {
  return startFakeService(createNeedleHandler());
}

function refusal(status: number, message: string): FakeAnswer {
  return { status, json: { error: { message } } };
}
