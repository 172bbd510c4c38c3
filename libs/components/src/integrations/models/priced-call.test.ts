import type { ServerResponse } from 'node:http';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PricedCall, SpendReservation } from '@millrace/flow';
import { openAiChat } from '../openai/openai-chat';
import { openAiEmbedding } from '../openai/openai-embedding';
import {
  chunk,
  openModelServerForEachTest,
  refuse,
  startModelServerUnderTest,
} from '../openai/openai-server.fixture';
import { ApiKey } from './api-key';
import type { ChatRequest } from './chat-protocol';

const server = openModelServerForEachTest();
const question: ChatRequest = { messages: [{ role: 'user', content: 'What is it?' }] };
const NOTHING = { input_tokens: 0, output_tokens: 0 };

type Settled = Parameters<SpendReservation['settle']>[0];

/** Returns a context whose calls are bounded, with what they reserve and settle. */
function spender() {
  const calls: PricedCall[] = [];
  const settled: Settled[] = [];
  const { signal } = new AbortController();
  const context = {
    fetch,
    signal,
    remainingMilliseconds: () => 60_000,
    spending: {
      async reserve(price: () => PricedCall) {
        calls.push(price());
        let isOpen = true;
        return {
          async settle(usage: Settled) {
            if (isOpen) settled.push(usage);
            isOpen = false;
          },
        };
      },
    },
  } as unknown as ComponentContext;
  return { calls, settled, context };
}

const endpoint = () => ({
  provider: 'OpenAI',
  baseUrl: server.url,
  apiKey: new ApiKey('sk'),
  keyHeader: null,
  headers: {},
  query: {},
  maximumRetries: 2,
  timeoutMilliseconds: 60_000,
});

const chat = (parameters: Readonly<Record<string, unknown>> = {}) => ({
  ...endpoint(),
  model: 'gpt-4o',
  parameters,
  protocol: openAiChat,
});

const bytesSent = () => Buffer.byteLength(JSON.stringify(server.requests.at(-1)?.body));

async function read(stream: AsyncGenerator<string, unknown>): Promise<void> {
  while ((await stream.next()).done !== true);
}

test.each([
  [{ max_completion_tokens: 50 }, { outputTokens: 50, answers: 1 }],
  [
    { max_tokens: 50, n: 3 },
    { outputTokens: 50, answers: 3 },
  ],
  [
    { maxOutputTokens: 50, candidateCount: 2 },
    { outputTokens: 50, answers: 2 },
  ],
  [{ options: { num_predict: 50 } }, { outputTokens: 50, answers: 1 }],
  [{ options: { num_predict: -1 } }, { outputTokens: null, answers: 1 }],
  [{ inferenceConfig: { maxTokens: 50 } }, { outputTokens: 50, answers: 1 }],
  [{}, { outputTokens: null, answers: 1 }],
])('a call with %j reserves %j, and a token for each byte', async (parameters, expected) => {
  const { calls, settled, context } = spender();
  await openAiChat.complete(chat(parameters), question, context);
  expect(calls).toEqual([{ provider: 'OpenAI', model: 'gpt-4o', inputTokens: bytesSent(), ...expected }]);
  expect(settled).toMatchObject([{ input_tokens: 5, output_tokens: 3 }]);
});

test('tools add tokens, and the bytes of an image count up to a bound', async () => {
  const { calls, context } = spender();
  const image = { mimeType: 'image/png', base64: 'A'.repeat(80_000) };
  await openAiChat.complete(
    chat(),
    {
      messages: [{ role: 'user', content: '', images: [image] }],
      tools: [{ name: 'tool', parameters: {} }],
    },
    context,
  );
  expect(calls[0]?.inputTokens).toBe(bytesSent() - 80_000 + 50_000 + 1_000);
});

test('each try reserves its own, a refused one costs nothing, and a broken one its worst case', async () => {
  const { calls, settled, context } = spender();
  server.answers.push(
    (response: ServerResponse) => void response.writeHead(503, { 'retry-after-ms': '1' }).end('busy'),
    (response: ServerResponse) => void response.destroy(),
  );
  await openAiChat.complete(chat(), question, context);
  expect(calls).toHaveLength(3);
  expect(settled).toEqual([NOTHING, null, expect.objectContaining({ input_tokens: 5 })]);
});

test('a call that no server received costs nothing', async () => {
  const { settled, context } = spender();
  const closed = await startModelServerUnderTest();
  await closed.close();
  const nowhere = { ...chat(), baseUrl: closed.url, maximumRetries: 0 };
  await expect(openAiChat.complete(nowhere, question, context)).rejects.toBeInstanceOf(ComponentError);
  expect(settled).toEqual([NOTHING]);
});

test('a stream is settled at its end, at its worst case when its reader stops, and for nothing when it is refused', async () => {
  const { settled, context } = spender();
  const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } };
  server.answers.push(
    (response) => response.end(`${chunk('a')}data: ${JSON.stringify(usage)}\n\ndata: [DONE]\n\n`),
    (response) => void response.write(chunk('a')),
    refuse(400, { message: 'no' }),
  );
  await read(openAiChat.stream(chat(), question, context));
  const stopped = openAiChat.stream(chat(), question, context);
  await stopped.next();
  await stopped.return(undefined as never);
  await expect(read(openAiChat.stream(chat(), question, context))).rejects.toThrow('no');
  expect(settled).toEqual([expect.objectContaining({ input_tokens: 9, output_tokens: 2 }), null, NOTHING]);
});

test('vectors have no tokens of an answer, and are settled with what the provider counts', async () => {
  const { calls, settled, context } = spender();
  const settings = {
    ...endpoint(),
    model: 'text-embedding-3-small',
    dimensions: null,
    batchSize: 10,
    protocol: openAiEmbedding(),
    scope: {},
  };
  server.answers.push((response) => {
    const data = [{ index: 0, embedding: [1, 2] }];
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 4, total_tokens: 4 } }));
  });
  await settings.protocol.embed(settings, ['four small words here'], 'document', context);
  expect(calls).toMatchObject([{ inputTokens: bytesSent(), outputTokens: 0 }]);
  expect(settled).toEqual([{ input_tokens: 4, output_tokens: 0 }]);
});

test('a call that a budget refuses is not sent', async () => {
  const { context } = spender();
  const refusing = {
    ...context,
    spending: { reserve: () => Promise.reject(new Error('the budget is spent')) },
  } as ComponentContext;
  await expect(openAiChat.complete(chat(), question, refusing)).rejects.toThrow('the budget is spent');
  expect(server.requests).toEqual([]);
});
