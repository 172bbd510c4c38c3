import { once } from 'node:events';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { openAiChat } from '../openai/openai-chat';
import { chunk, openModelServerForEachTest, refuse } from '../openai/openai-server.fixture';
import { ApiKey } from './api-key';
import type { ModelRefusal } from './model-failure';
import { postToModel } from './model-http';
import type { CalledEndpoint } from './model-http';

const server = openModelServerForEachTest();
const post = { path: '/chat/completions', body: { messages: [] } };

function endpoint(changes: Partial<CalledEndpoint> = {}): CalledEndpoint {
  return {
    provider: 'OpenAI',
    model: 'm',
    baseUrl: server.url,
    apiKey: new ApiKey('sk'),
    keyHeader: null,
    headers: {},
    query: {},
    maximumRetries: 2,
    timeoutMilliseconds: 60_000,
    ...changes,
  };
}

function contextOf(remainingMilliseconds = 60_000): ComponentContext {
  const { signal } = new AbortController();
  return { fetch, signal, remainingMilliseconds: () => remainingMilliseconds } as ComponentContext;
}

async function errorOf(calling: Promise<unknown>): Promise<ComponentError> {
  const error: unknown = await calling.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ComponentError);
  return error as ComponentError;
}

/** Returns the pieces of a streamed answer. */
async function piecesOf(): Promise<string[]> {
  const chat = { ...endpoint(), model: 'm', parameters: {}, protocol: openAiChat };
  const pieces: string[] = [];
  for await (const piece of openAiChat.stream(chat, { messages: [] }, contextOf())) pieces.push(piece);
  return pieces;
}

test('sends JSON with the key, the headers and the query of the endpoint', async () => {
  const given = endpoint({ keyHeader: 'api-key', headers: { 'x-a': 'b' }, query: { version: '1 2' } });
  await postToModel(given, post, contextOf());
  expect(server.requests).toMatchObject([
    {
      path: '/v1/chat/completions?version=1+2',
      headers: {
        'api-key': 'sk',
        'x-a': 'b',
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: { messages: [] },
    },
  ]);
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('retries transient failures up to the limit, then reports the last one with its status', async () => {
  for (const status of [409, 500, 503])
    server.answers.push((response) =>
      response.writeHead(status, { 'retry-after-ms': '1' }).end('{"error":{"message":"busy"}}'),
    );
  const error = await errorOf(postToModel(endpoint(), post, contextOf()));
  expect(error.message).toBe("Error code: 503 - {'error': {'message': 'busy'}}");
  expect((error.cause as ModelRefusal).status).toBe(503);
  expect(server.requests).toHaveLength(3);
});

test('reports a transient failure at once when the retry would come after the end of the run', async () => {
  server.answers.push((response) => response.writeHead(429, { 'retry-after': '30' }).end('slow down'));
  expect((await errorOf(postToModel(endpoint(), post, contextOf(5_000)))).message).toBe(
    'Error code: 429 - slow down',
  );
  expect(server.requests).toHaveLength(1);
});

test('reports a broken connection and a passed time limit in the words of OpenAI clients, with the host', async () => {
  const { host } = new URL(server.url);
  server.answers.push((response) => response.destroy());
  const oneTry = endpoint({ maximumRetries: 0 });
  expect((await errorOf(postToModel(oneTry, post, contextOf()))).message).toMatch(
    new RegExp(`^Connection error: OpenAI \\(${host}\\) could not be reached: `),
  );
  server.answers.push(() => undefined);
  const short = endpoint({ maximumRetries: 0, timeoutMilliseconds: 20 });
  expect((await errorOf(postToModel(short, post, contextOf()))).message).toBe(
    `Request timed out: OpenAI (${host}) did not answer in time.`,
  );
});

test('a stream ends with [DONE], and an error status is reported as in a whole answer', async () => {
  server.answers.push((response) => response.end(`${chunk('a')}data: [DONE]\n\n${chunk('b')}`));
  expect(await piecesOf()).toEqual(['a']);
  server.answers.push(refuse(400, { message: 'bad request' }));
  expect((await errorOf(piecesOf())).message).toBe("Error code: 400 - {'error': {'message': 'bad request'}}");
});

test('a stream whose end was announced is whole without the end of its connection', async () => {
  const end = { choices: [{ delta: {}, finish_reason: 'stop' }] };
  server.answers.push((response) => response.write(`${chunk('a')}data: ${JSON.stringify(end)}\n\n`));
  expect(await piecesOf()).toEqual(['a']);
});

test('a reader that stops early closes the connection', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  server.answers.push((response) => {
    closed = once(response, 'close');
    response.write(chunk('a'));
  });
  const chat = { ...endpoint(), model: 'm', parameters: {}, protocol: openAiChat };
  const pieces = openAiChat.stream(chat, { messages: [] }, contextOf());
  await pieces.next();
  await pieces.return(undefined as never);
  await closed;
});
