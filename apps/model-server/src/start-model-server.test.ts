import OpenAI from 'openai';
import { until } from '@millrace/service/testing';
import { startModelServer } from './index';
import type { ModelServer } from './index';

let server: ModelServer;
let client: OpenAI;
beforeAll(async () => {
  server = await startModelServer();
  client = new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => server.close());

const ask = (content: string, model = 'echo') =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content }] });

async function tokensOf(content: string, options: { model?: string; includeUsage?: boolean } = {}) {
  const stream = await client.chat.completions.create({
    model: options.model ?? 'echo',
    messages: [{ role: 'user', content }],
    stream: true,
    ...(options.includeUsage === true ? { stream_options: { include_usage: true } } : {}),
  });
  const tokens: string[] = [];
  let usage: OpenAI.CompletionUsage | null | undefined;
  let finish: string | null | undefined;
  for await (const chunk of stream) {
    const part = chunk.choices[0]?.delta.content;
    if (part) tokens.push(part);
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  return { tokens, usage, finish };
}

test('echoes the last user message, without its directives', async () => {
  const completion = await client.chat.completions.create({
    model: 'gpt-4o-mini',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'earlier' },
      { role: 'assistant', content: 'yes' },
      { role: 'user', content: [{ type: 'text', text: 'Hello [[delay=1]] there,\nmiller' }] },
    ],
  });
  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'Hello there,\nmiller' },
  });
  expect(completion).toMatchObject({ model: 'gpt-4o-mini', object: 'chat.completion' });
  expect(completion.usage).toEqual({ prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 });
});

test('streams the same text token by token, with usage on request', async () => {
  const plain = await tokensOf('one two  three ');
  expect(plain).toEqual({ tokens: ['one', ' two', '  three '], usage: undefined, finish: 'stop' });
  const { usage } = await tokensOf('one two', { includeUsage: true });
  expect(usage).toEqual({ prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 });
});

test('answers with a story of exactly the requested number of tokens, the same each time', async () => {
  const byModel = await tokensOf('x', { model: 'story-200' });
  const byDirective = await tokensOf('[[tokens=200]]');
  expect(byModel.tokens).toHaveLength(200);
  expect(byDirective.tokens).toEqual(byModel.tokens);
  expect((await ask('x', 'story')).choices[0]?.message.content).toMatch(/^Water falls .* next mill\.$/);
  expect((await ask('[[reply="It rains."]]')).choices[0]?.message.content).toBe('It rains.');
});

test('waits before the first byte and between tokens', async () => {
  const started = performance.now();
  await tokensOf('[[delay=60 interval=30 tokens=4]]');
  expect(performance.now() - started).toBeGreaterThanOrEqual(145);
});

test('truncates the answer at the maximum number of tokens', async () => {
  const completion = await client.chat.completions.create({
    model: 'echo',
    messages: [{ role: 'user', content: 'one two three' }],
    max_tokens: 2,
  });
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two' } });
});

test('refuses with the requested status, always or a number of times', async () => {
  await expect(ask('[[status=500]]')).rejects.toMatchObject({ status: 500, type: 'server_error' });
  await expect(ask('[[status=429]]')).rejects.toMatchObject({ status: 429 });
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(ask('[[status=503 times=2 id=a]] hi')).rejects.toMatchObject({ status: 503 });
  expect((await ask('[[status=503 times=2 id=a]] hi')).choices[0]?.message.content).toBe('hi');
});

test('leaves a number of requests without an answer', async () => {
  const stopped = new AbortController();
  const asked = ['first', 'second'].map(() =>
    client.chat.completions.create(
      { model: 'echo', messages: [{ role: 'user', content: '[[hang times=1 id=b]] hi' }] },
      { signal: stopped.signal, maxRetries: 0 },
    ),
  );
  expect((await Promise.any(asked)).choices[0]?.message.content).toBe('hi');
  stopped.abort();
  const ends = (await Promise.allSettled(asked)).map(({ status }) => status);
  expect(ends.sort()).toEqual(['fulfilled', 'rejected']);
});

test('breaks the connection in the middle of a stream', async () => {
  await expect(tokensOf('[[cut=2]] one two three')).rejects.toThrow();
});

test('refuses a mistyped directive, an invalid body and an unknown path', async () => {
  await expect(ask('[[dealy=5]]')).rejects.toMatchObject({ status: 400 });
  await expect(ask('[[delay=soon]]')).rejects.toThrow('must be a whole number');
  const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: 'POST', body });
  expect((await post('/chat/completions', 'no json')).status).toBe(400);
  expect((await post('/chat/completions', '{"model":"echo","messages":[]}')).status).toBe(400);
  expect((await post('/elsewhere', '{}')).status).toBe(404);
});

test('counts callers that disconnect', async () => {
  const before = server.counts.abandoned;
  const signal = AbortSignal.timeout(50);
  const call = client.chat.completions.create(
    { model: 'echo', messages: [{ role: 'user', content: '[[hang]]' }] },
    { signal },
  );
  await expect(call).rejects.toThrow();
  await until(() => server.counts.abandoned > before);
  expect(server.counts.abandoned).toBe(before + 1);
});

test('lists models and embeds texts', async () => {
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toContain('echo');
  const { data } = await client.embeddings.create({
    model: 'embedding',
    input: ['mill', 'race', 'mill'],
    encoding_format: 'float',
  });
  expect(data[0]?.embedding).toEqual(data[2]?.embedding);
  expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
});

test('checks its key when one is set', async () => {
  const guarded = await startModelServer({ apiKey: 'right' });
  const status = async (key: string) =>
    (await fetch(`${guarded.url}/models`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await status('wrong'), await status('right')]).toEqual([401, 200]);
  await guarded.close();
});
