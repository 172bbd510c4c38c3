import { ComponentError } from '@millrace/flow';
import { openAiAnswer, openAiStream } from './openai-answer';
import type { ChatCompletion, ChatCompletionChunk } from './openai-protocol';

test.each([{ models: [] }, { choices: [] }])('reports the answer %j, which has no choice', (body) => {
  const read = () => openAiAnswer('OpenAI', body as unknown as ChatCompletion);
  expect(read).toThrow(new ComponentError('OpenAI returned an answer without a choice.'));
});

test('skips chunks without a choice', async () => {
  const chunks = [{ models: [] }, { choices: [{ delta: { content: 'flour' } }] }];
  const stream = openAiStream(asChunks(chunks as unknown as ChatCompletionChunk[]));
  expect(await stream.next()).toEqual({ done: false, value: 'flour' });
});

async function* asChunks(chunks: readonly ChatCompletionChunk[]): AsyncGenerator<ChatCompletionChunk> {
  await Promise.resolve();
  yield* chunks;
}
