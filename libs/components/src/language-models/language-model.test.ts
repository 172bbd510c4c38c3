import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { messageToEventData, RunEvent } from '@millrace/flow';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions, RunUnderTest } from '../testing/flow-under-test.fixture';
import { fileOwner, filesUnderTest } from '../testing/run-files.fixture';
import {
  chunk,
  refuse,
  startModelServerUnderTest,
  streamText,
} from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeEach(async () => {
  server = await startModelServerUnderTest();
});
afterEach(() => server.close());

const chosen = [{ name: 'gpt-4o-mini', provider: 'OpenAI', metadata: {} }];
const chat = (values: Record<string, unknown> = {}, output: Record<string, unknown> = {}): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Model-m', 'LanguageModelComponent', { model: chosen, system_message: 'Be brief.', ...values }),
      node('ChatOutput-z', 'ChatOutput', output),
    ],
    [
      edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
const ask = (document: unknown, options: RunOptions = {}): Promise<RunUnderTest> =>
  runFlow(document, {
    input: 'q',
    variables: { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' },
    ...options,
  });

test('calls the model with the address and the key of the stored variables', async () => {
  const { text, result, stored } = await ask(chat());
  expect(text).toBe('Hello big world');
  expect(server.requests).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-stored' },
      body: {
        model: 'gpt-4o-mini',
        stream: false,
        temperature: 0.1,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'q' },
        ],
      },
    },
  ]);
  expect(stored[1]?.fields.properties).toMatchObject({
    source: { id: 'Model-m', display_name: 'Language Model', source: 'gpt-4o-mini' },
    usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
  });
  expect(result?.component_id).toBe('ChatOutput-z');
});

/** The events of a run without the question: of a message its text, state, sender's name and model. */
const shown = (events: readonly RunEvent[]) =>
  events.slice(1).map(({ event, data }) => {
    if (event === 'token') return data.chunk;
    const { text, sender_name: name, properties } = data as unknown as ReturnType<typeof messageToEventData>;
    return [text, properties.state, name, properties.source.source, properties.usage?.total_tokens ?? null];
  });
const whole = 'Hello big world';

test('a streaming caller sees the message of the model, and then that of the chat output under the same id', async () => {
  const { events, stored, text } = await ask(chat({}, { sender_name: 'Bot' }), { stream: true });
  expect(shown(events)).toEqual([
    ['', 'partial', 'AI', '', null],
    'Hello ',
    'big ',
    'world',
    [whole, 'complete', 'AI', '', 8],
    [whole, 'complete', 'Bot', 'gpt-4o-mini', 8],
    [whole, 'complete', 'Bot', 'gpt-4o-mini', 8],
  ]);
  expect(new Set(events.slice(1).map(({ data }) => data['id'])).size).toBe(1);
  expect(text).toBe(whole);
  expect(stored.map((message) => message.text)).toEqual(['q', whole]);
});

test('a chat output that stores no messages leaves that of the model', async () => {
  const { events, stored } = await ask(chat({}, { should_store_message: false }), { stream: true });
  expect(shown(events).at(-1)).toEqual([whole, 'complete', 'AI', '', 8]);
  expect(stored.at(-1)?.fields).toMatchObject({ text: whole, senderName: 'AI' });
});

test('a model without an answer sends an empty token, and its message stays a partial one', async () => {
  server.answers.push(streamText(''));
  const { events } = await ask(chat(), { stream: true });
  expect(shown(events).slice(0, 3)).toEqual([
    ['', 'partial', 'AI', '', null],
    '',
    ['', 'partial', 'AI', '', expect.anything()],
  ]);
});

test('without a streaming caller the answer comes whole, whatever the setting `stream` is', async () => {
  expect((await ask(chat({ stream: true }), { tweaks: { stream: true } })).text).toBe('Hello big world');
  expect((await ask(chat({ stream: true }))).text).toBe('Hello big world');
});

test('other settings: the older form, a limit, another model by tweak', async () => {
  const older = chat({
    model: '',
    provider: 'OpenAI',
    model_name: 'gpt-4.1',
    max_tokens: 50,
    temperature: 0,
  });
  await ask(older);
  await ask(chat(), { tweaks: { 'Model-m': { model_name: 'o3-mini' } } });
  expect(server.requests[0]?.body).toMatchObject({
    model: 'gpt-4.1',
    max_completion_tokens: 50,
    temperature: 0,
  });
  expect(server.requests[1]?.body.model).toBe('o3-mini');
  expect(server.requests[1]?.body).not.toHaveProperty('temperature');
});

test('reports the body of a bad request', async () => {
  server.answers.push(refuse(400, { message: 'fake failure', type: 'invalid_request_error' }));
  expect(await failureOf(ask(chat()))).toBe(
    'Error running graph: Error building Component Language Model: \n\n' +
      "Error code: 400 - {'error': {'message': 'fake failure', 'type': 'invalid_request_error'}}",
  );
});

test.each([false, true])(
  'asks again without a temperature that the provider refuses; streams: %s',
  async (stream) => {
    const refusal = refuse(400, { message: "Unsupported value: 'temperature' does not support 0.1." });
    server.answers.push(refusal);
    const sent = { input: 'q', tweaks: { stream }, onEvent: () => undefined };
    expect((await ask(chat(), sent)).text).toBe('Hello big world');
    expect(server.requests.map(({ body }) => body['temperature'])).toEqual([0.1, undefined]);
    server.answers.push(refusal, refusal);
    expect(await failureOf(ask(chat(), sent))).toContain('does not support 0.1');
  },
);

test('reports the status of other rejections, and does not retry permanent ones', async () => {
  server.answers.push(refuse(401, { message: 'Incorrect API key', code: null }));
  expect(await failureOf(ask(chat()))).toContain(
    "Error code: 401 - {'error': {'message': 'Incorrect API key', 'code': None}}",
  );
  expect(server.requests).toHaveLength(1);
});

test('retries after a transient failure', async () => {
  server.answers.push((response) => void response.writeHead(503, { 'retry-after-ms': '5' }).end());
  expect((await ask(chat())).text).toBe('Hello big world');
  expect(server.requests).toHaveLength(2);
});

test.each([
  [{ content: null, refusal: 'I cannot.' }, 'stop', 'The model refused to answer: I cannot.'],
  [{ content: 'Half a' }, 'length', 'The answer of the model ended with "length".'],
])('an answer that is refused or cut is one, and the log says so', async (message, finish_reason, line) => {
  server.answers.push((response) => response.end(JSON.stringify({ choices: [{ message, finish_reason }] })));
  const { text, events } = await ask(chat(), { stream: true });
  expect(text).toBe(message.content ?? '');
  expect(events).toContainEqual(
    expect.objectContaining({ event: 'log', data: expect.objectContaining({ message: line }) }),
  );
});

test('a stream that breaks off is the failure of the model, in the words of the client', async () => {
  server.answers.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk('Hel'), () => response.destroy());
  });
  const events: RunEvent[] = [];
  const words = 'peer closed connection without sending complete message body (incomplete chunked read)';
  await expect(ask(chat(), { stream: true, onEvent: (event) => void events.push(event) })).rejects.toThrow(
    `Error running graph: Error building Component Language Model: \n\n${words}`,
  );
  expect(events.at(-1)).toMatchObject({
    event: 'error',
    data: {
      text: `${words}\n`,
      properties: { source: { id: 'Model-m' } },
      content_blocks: [{ contents: [{ reason: expect.stringContaining('**ValueError**') }] }],
    },
  });
});

test('a call that outlasts the deadline of the run ends with the run', async () => {
  let given = false;
  server.answers.push((response) => void response.on('close', () => (given = true)));
  await expect(ask(chat(), { timeoutMilliseconds: 300 })).rejects.toMatchObject({
    code: 'deadline_exceeded',
  });
  while (!given) await pause(5);
});

test('a cancelled run closes the connection', async () => {
  const controller = new AbortController();
  let hungUp: Promise<unknown> = Promise.resolve();
  server.answers.push((response) => {
    hungUp = once(response, 'close');
    controller.abort();
  });
  await expect(ask(chat(), { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
  await hungUp;
});

test('an address that the operator does not allow is called once', async () => {
  let calls = 0;
  const refusing: typeof fetch = () => {
    calls += 1;
    const refusal = Object.assign(new Error('127.0.0.1 is not allowed'), { code: 'outgoing_refused' });
    return Promise.reject(new TypeError('fetch failed', { cause: refusal }));
  };
  expect(await failureOf(ask(chat(), { fetch: refusing }))).toContain(
    'Connection error: OpenAI: 127.0.0.1 is not allowed',
  );
  expect(calls).toBe(1);
});

test.each([
  [{ model: '' }, 'A model selection is required'],
  [
    { provider: 'Unknown', model_name: 'm' },
    'The provider "Unknown" of "Language Model" is not one of: OpenAI',
  ],
])('refuses %p', async (values, reason) => {
  expect(await failureOf(ask(chat(values)))).toContain(reason);
});

test('reports which key is missing', async () => {
  const run = ask(chat(), { variables: { OPENAI_BASE_URL: server.url } });
  expect(await failureOf(run)).toContain('OpenAI API key is required when using OpenAI provider.');
});

test.each([
  ['Be brief.', [{ role: 'system', content: 'Be brief.' }]],
  ['', []],
])('sends an empty message, with the system message %j', async (system_message, before) => {
  await ask(chat({ system_message }), { input: '' });
  expect(server.requests[0]?.body).toMatchObject({
    messages: [...before, { role: 'user', content: '' }],
  });
});

test('a model that is only passed on is not called, and its key does not leak', async () => {
  const document = flow(
    [
      node('Model-a', 'LanguageModelComponent', { model: chosen }),
      node('ChatInput-i', 'ChatInput'),
      node('Model-m', 'LanguageModelComponent'),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('Model-a', 'model_output', 'Model-m', 'model'),
      edge('ChatInput-i', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  const { text } = await ask(document);
  expect(text).toBe('Hello big world');
  expect(server.requests).toHaveLength(1);
  const { result } = await ask(document, { show: 'Model-a' });
  expect(JSON.stringify(result)).not.toContain('sk-stored');
  expect(result?.artifacts['model_output']).toMatchObject({ raw: null, type: 'object' });
});

const withFiles = (): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput', { files: '' }),
      node('Model-m', 'LanguageModelComponent', { model: chosen }),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );

test('sends the texts of the files of a message to the model, each with its name', async () => {
  const contents = {
    'a.csv': 'x,y\n1,2\n',
    'b.MD': '# B',
    'c.json': '{"d":1}',
    'e.json': '{"d":',
    'f.yaml': 'g: 1',
  };
  const files = Object.keys(contents).map((name) => `${fileOwner}/${name}`);
  const { resources } = filesUnderTest({
    ...contents,
    notes: 'plain',
    'empty.txt': '',
    'wheel.jpg': 'pixels',
  });
  files.push(`${fileOwner}/notes`, `${fileOwner}/empty.txt`, `${fileOwner}/wheel.jpg`);
  await ask(withFiles(), { resources, tweaks: { 'ChatInput-a': { files } } });
  expect(server.requests[0]?.body.messages[0]?.content).toEqual(
    [
      'q',
      "File 'a.csv' contents:\nx,y\n1,2\n",
      "File 'b.MD' contents:\n# B",
      `File 'c.json' contents:\n{"d":1}`,
      `File 'e.json' contents:\n{"d":`,
      `File 'f.yaml' contents:\n{"g": 1}`,
      "File 'notes' contents:\nplain",
      { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,cGl4ZWxz' } },
    ].map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  );
});

test.each([
  ['lost.txt', "File not found: 'user-1/lost.txt'"],
  ['song.mp3', "The file 'user-1/song.mp3' cannot be sent to a model: it is neither an image nor a text."],
  ['large.txt', 'user-1/large.txt cannot be read.'],
])('fails for %s among the files of a message', async (name, reason) => {
  const { resources } = filesUnderTest({
    'song.mp3': 'la',
    'large.txt': Buffer.alloc(10 * 1_048_576 + 1, 'a'),
  });
  const tweaks = { 'ChatInput-a': { files: `${fileOwner}/${name}` } };
  expect(await failureOf(ask(withFiles(), { resources, tweaks }))).toContain(reason);
  expect(server.requests).toEqual([]);
});

test('sends the images of a message to the model', async () => {
  const { resources } = filesUnderTest({ 'wheel.jpg': 'pixels' });
  await ask(withFiles(), { resources, tweaks: { 'ChatInput-a': { files: [`${fileOwner}/wheel.jpg`] } } });
  expect(server.requests[0]?.body.messages[0]?.content).toEqual([
    { type: 'text', text: 'q' },
    { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,cGl4ZWxz' } },
  ]);
});
