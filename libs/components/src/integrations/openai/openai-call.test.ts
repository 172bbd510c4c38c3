import { once } from 'node:events';
import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { ApiKey } from '../models/api-key';
import type { ModelEndpoint } from '../models/model-endpoint';
import type { ModelRefusal } from '../models/model-refusal';
import { callOpenAi, streamOpenAi } from './openai-call';
import { chunk, openModelServerForEachTest, refuse } from './openai-server.fixture';

const server = openModelServerForEachTest();
const post = { path: '/chat/completions', body: { messages: [] } };

function endpoint(changes: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return {
    ...{ provider: 'OpenAI', baseUrl: server.url, apiKey: new ApiKey('sk'), keyHeader: null, headers: {} },
    ...{ query: {}, maximumRetries: 2, timeoutMilliseconds: 60_000 },
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

async function eventsOf(): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of streamOpenAi(endpoint(), post, contextOf())) events.push(event);
  return events;
}

test('sends JSON with the key, the headers and the query of the endpoint', async () => {
  const given = endpoint({ keyHeader: 'api-key', headers: { 'x-a': 'b' }, query: { version: '1 2' } });
  await callOpenAi(given, post, contextOf());
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
  const error = await errorOf(callOpenAi(endpoint(), post, contextOf()));
  expect(error.message).toBe("Error code: 503 - {'error': {'message': 'busy'}}");
  expect((error.cause as ModelRefusal).status).toBe(503);
  expect(server.requests).toHaveLength(3);
});

test('reports a transient failure at once when the retry would come after the end of the run', async () => {
  server.answers.push((response) => response.writeHead(429, { 'retry-after': '30' }).end('slow down'));
  expect((await errorOf(callOpenAi(endpoint(), post, contextOf(5_000)))).message).toBe('Error code: 429');
  expect(server.requests).toHaveLength(1);
});

test('reports a broken connection and a passed time limit in the words of OpenAI clients', async () => {
  server.answers.push((response) => response.destroy());
  const once = endpoint({ maximumRetries: 0 });
  expect((await errorOf(callOpenAi(once, post, contextOf()))).message).toBe('Connection error.');
  server.answers.push(() => undefined);
  const short = endpoint({ maximumRetries: 0, timeoutMilliseconds: 20 });
  expect((await errorOf(callOpenAi(short, post, contextOf()))).message).toBe('Request timed out.');
});

test('reports an answer that is not JSON', async () => {
  server.answers.push((response) => response.end('<html>'));
  const error = await errorOf(callOpenAi(endpoint(), post, contextOf()));
  expect(error.message).toBe('OpenAI returned a response that is not JSON.');
});

test.each([
  ['{"error":{"message":"overloaded"}}', 'overloaded'],
  ['{"error":"overloaded"}', '"overloaded"'],
  ['{"object":"error","message":"too long","code":400}', 'too long'],
])('a stream with the error %s ends with it', async (data, message) => {
  server.answers.push((response) => response.end(`${chunk('a')}data: ${data}\n\n${chunk('b')}`));
  expect((await errorOf(eventsOf())).message).toBe(message);
});

test('a stream ends with [DONE], and an error status is reported as in a whole answer', async () => {
  server.answers.push((response) => response.end(`${chunk('a')}data: [DONE]\n\n${chunk('b')}`));
  expect(await eventsOf()).toHaveLength(1);
  server.answers.push(refuse(400, { message: 'bad request' }));
  expect((await errorOf(eventsOf())).message).toBe('bad request');
});

test('a reader that stops early closes the connection', async () => {
  let closed: Promise<unknown> = Promise.resolve();
  server.answers.push((response) => {
    closed = once(response, 'close');
    response.write(chunk('a'));
  });
  const events = streamOpenAi(endpoint(), post, contextOf());
  await events.next();
  await events.return();
  await closed;
});
