import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeHandler } from '../http/fake-service.fixture';

const request = {
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { enum: ['letters', 'few-letters'] },
    input: { type: 'array', minItems: 1, items: { type: 'string' } },
    encoding_format: { const: 'float' },
  },
  additionalProperties: false,
};

/** Counts each letter of the alphabet in a text: texts with common words are near each other. */
export function letterVector(text: string, dimensions = 26): number[] {
  const counts = new Array<number>(dimensions).fill(0);
  for (const letter of text.toLowerCase()) {
    const letterIndex = letter.charCodeAt(0) - 97;
    const index = letterIndex % dimensions;
    if (letterIndex >= 0 && letterIndex < 26) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

/** An embedding server with OpenAI's protocol that counts letters; the model "few-letters" has 8 dimensions. */
export function createLettersHandler(): FakeHandler {
  return fakeHandler(({ path, json, headers }) => {
    if (path !== '/v1/embeddings') return { status: 404, json: { error: { message: 'no such route' } } };
    if (headers.authorization !== 'Bearer embedding-key') {
      return { status: 401, json: { error: { message: 'Incorrect API key provided' } } };
    }
    const wrong = violation(request, json);
    if (wrong !== null) return { status: 400, json: { error: { message: wrong } } };
    const { model, input } = json as { model: string; input: string[] };
    const dimensions = model === 'letters' ? 26 : 8;
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: letterVector(text, dimensions),
    }));
    return { json: { object: 'list', data, model, usage: { prompt_tokens: 1, total_tokens: 1 } } };
  });
}
