import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;

let client: OpenAI;
const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
  client = new OpenAI({ apiKey: TEST_KEY, baseURL: `${gateway.url}/api/v1`, maxRetries: 0 });
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

const failure = { code: 'component_failed', message: 'It broke.', vertex: null, problems: [] };
const token = (chunk: string) => ({ event: 'token', data: { chunk, id: 'm' } });

/** Returns the texts of a streamed response's chunks, and its last event. */
async function streamed(model: string) {
  const chunks: unknown[] = [];
  for await (const chunk of await client.responses.create({ model, input: 'x', stream: true }))
    chunks.push(chunk);
  const texts = (chunks as { delta?: { content?: string } }[]).map(({ delta }) => delta?.content ?? '');
  return { text: texts.join(''), last: chunks.at(-1) };
}

test('the openai package gets a whole response, and continues the conversation', async () => {
  const first = await client.responses.create({ model: 'echo', input: 'hello' });
  expect(first.output[0]).toMatchObject({ role: 'assistant', content: [{ text: 'hello' }] });
  expect(first.output_text).toBe('hello');
  const next = await client.responses.create({
    model: 'echo',
    input: 'more',
    previous_response_id: first.id,
  });
  expect(next.id).toBe(first.id);
  const messages = await gateway.call('GET', `/api/v1/monitor/messages?session_id=${first.id}`);
  expect((messages.json as { text: string }[]).map(({ text }) => text)).toEqual([
    'hello',
    'hello',
    'more',
    'more',
  ]);
});

test('a text is as chats show it, with its lines apart', async () => {
  gateway.executor.handleJob = async ({ final }) => {
    const results = { message: { text: '```json\n{}\n```' } };
    const messages = [{ message: '```json\n\n{}\n\n```' }];
    await final('succeeded', {
      session_id: 's',
      outputs: [{ inputs: {}, outputs: [{ results, messages }] }],
    });
  };
  const { output_text: shown } = await client.responses.create({ model: 'echo', input: 'x' });
  expect(shown).toBe('```json\n\n{}\n\n```');
});

test.each([
  [
    undefined,
    [
      {
        id: 'fc_1',
        type: 'function_call',
        status: 'completed',
        name: 'add',
        arguments: '{"b": "\\u00e9", "a": 1}',
      },
      {
        id: 'fc_2',
        type: 'function_call',
        status: 'failed',
        name: 'add',
        arguments: '{}',
        error: 'It broke.',
      },
    ],
  ],
  [
    ['tool_call.results'],
    [
      {
        id: 'add_1',
        type: 'tool_call',
        status: 'completed',
        queries: ['é', 1],
        tool_name: 'add',
        results: '3',
      },
      {
        id: 'add_2',
        type: 'tool_call',
        status: 'failed',
        queries: [],
        tool_name: 'add',
        results: [],
        error: 'It broke.',
      },
    ],
  ],
])('a whole response has its tool calls before its message: %j', async (include, items) => {
  const step = { type: 'tool_use', name: 'add', tool_input: { b: 'é', a: 1 }, output: '3', error: null };
  const contents = [step, { ...step, tool_input: {}, output: null, error: 'It broke.' }, { type: 'text' }];
  gateway.executor.handleJob = async ({ final }) => {
    const results = { message: { text: 'done', content_blocks: [{ title: 'Agent Steps', contents }] } };
    await final('succeeded', {
      session_id: 's',
      outputs: [{ inputs: {}, outputs: [{ results, messages: [{ message: 'done' }] }] }],
    });
  };
  const answer = await gateway.call('POST', '/api/v1/responses', { model: 'echo', input: 'x', include });
  const { output } = answer.json as { readonly output: readonly object[] };
  expect(output).toEqual([...items, expect.objectContaining({ type: 'message' })]);
});

test.each([
  [undefined, { id: 'fc_1', name: 'None' }],
  [['tool_call.results'], { id: 'None_1', tool_name: 'None' }],
])("a tool call without a name is answered with Python's: %j", async (include, item) => {
  const contents = [{ type: 'tool_use', name: null, tool_input: null, output: { a: 1 } }];
  gateway.executor.handleJob = async ({ final }) => {
    const results = { message: { text: 'done', content_blocks: [{ contents }] } };
    const output = { results, messages: [{ message: 'done' }] };
    await final('succeeded', { session_id: 's', outputs: [{ inputs: {}, outputs: [output] }] });
  };
  const answer = await gateway.call('POST', '/api/v1/responses', { model: 'echo', input: 'x', include });
  expect(answer).toMatchObject({ status: 200, json: { output: [item, { type: 'message' }] } });
});

test('the key in x-api-key counts when a client sends another one as bearer token', async () => {
  const headers = { 'x-api-key': TEST_KEY };
  for (const apiKey of ['unused', 'sk-of-another-user']) {
    const other = new OpenAI({ apiKey, baseURL: `${gateway.url}/api/v1`, defaultHeaders: headers });
    expect((await other.responses.create({ model: 'echo', input: 'hello' })).output_text).toBe('hello');
  }
});

test('the openai package reports an invalid key as such', async () => {
  const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${gateway.url}/api/v1`, maxRetries: 0 });
  const refused = wrong.responses.create({ model: 'echo', input: 'hello' });
  await expect(refused).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError);
});

const said = (text: string, id = 'm', state = 'complete') => ({
  event: 'add_message',
  data: { id, text, sender: 'Machine', sender_name: 'AI', properties: { state } },
});

test('the openai package gets each token of a streamed response once', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([said('Grüß ', 'm', 'partial'), token('Grüß '), token('dich'), said('Grüß dich')]);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const { text, last } = await streamed('echo');
  expect(text).toBe('Grüß dich');
  expect(last).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
});

test.each([
  ['a message without tokens', [said('whole')], 'whole'],
  ['the same message again', [said('whole'), said('whole'), said(' whole', 'n')], 'whole'],
  ['messages of two outputs', [said('one'), said('two', 'n')], 'onetwo'],
  ['a message that continues the text', [token('one'), said('one and', 'n')], 'one and'],
  [
    'tokens after a message that they continue',
    [said('o', 'm', 'partial'), token('one'), token(' two')],
    'one two',
  ],
  ['the input, and what a user says', [said('x'), { ...said('u'), data: { text: 'u', sender: 'User' } }], ''],
])('a streamed response has the new text of %s', async (_, sent, expected) => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events(sent);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  expect((await streamed('echo')).text).toBe(expected);
});

test.each([
  [undefined, { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'call_1', name: 'add' }],
  [
    ['tool_call.results'],
    { id: 'add_fc_1', type: 'tool_call', status: 'completed', results: { content: '3' } },
  ],
] as const)('a streamed response reports each tool call when it has ended: %j', async (include, item) => {
  const step = { type: 'tool_use', name: 'add', tool_input: { b: 'é', a: 1 }, output: null, error: null };
  const other = { ...step, tool_input: {}, error: 'It broke.' };
  const message = (...contents: readonly object[]) => ({
    event: 'add_message',
    data: { text: '', content_blocks: [{ title: 'Agent Steps', contents }] },
  });
  const ended = { ...step, output: { content: '3' } };
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([message(step)]);
    await events([message(ended), message(ended, other), token('done')]);
    await final('succeeded', { session_id: 's', outputs: [] });
  };
  const seen: Record<string, unknown>[] = [];
  const request = { model: 'echo', input: 'x', stream: true, ...(include && { include }) };
  for await (const event of (await client.responses.create(
    request as never,
  )) as never as AsyncIterable<object>)
    seen.push(event as Record<string, unknown>);
  const called = seen.filter(({ type }) => typeof type === 'string' && /item|arguments/.test(type));
  expect(called.map(({ type }) => type)).toEqual([
    ...Array.from({ length: 2 }, () => [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]).flat(),
  ]);
  expect(called[1]).toMatchObject({ delta: '{"b": "\\u00e9", "a": 1}', item_id: 'fc_1' });
  expect(called[3]).toMatchObject({ item });
  expect(called[7]).toMatchObject({ item: { status: 'failed', error: 'It broke.' } });
});

test.each([
  ['ChatInput', []],
  ['ChatOutput', ['ChatInput-a']],
])('a flow without %s cannot be called as a model', async (type, ids) => {
  const nodes = ids.map((id) => ({ id, data: { id, type: 'ChatInput', node: { template: {} } } }));
  const flow = await gateway.createFlow({ name: `without ${type}`, data: { nodes, edges: [] } });
  const message = `Flow must have a ${type} component to be compatible with OpenAI Responses API`;
  for (const stream of [false, true])
    expect(
      await gateway.call('POST', '/api/v1/responses', { model: flow, input: 'x', stream }),
    ).toMatchObject({
      status: 200,
      json: { error: { message, type: 'invalid_request_error', code: 'invalid_flow_request' } },
    });
});

test('a failed flow is an error with status 200, whole and streamed', async () => {
  gateway.executor.handleJob = ({ final }) => final('failed', failure);
  const answer = await gateway.call('POST', '/api/v1/responses', { model: 'echo', input: 'x' });
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    error: {
      message:
        '500: {"message":"It broke.","traceback":null,"description":null,"code":null,"suggestion":null}',
      type: 'processing_error',
    },
  });
  const { text, last } = await streamed('echo');
  expect(text).toBe('It broke.');
  expect(last).toMatchObject({ object: 'response.chunk', status: 'failed', finish_reason: 'error' });
});

test('a streamed response that fails ends with the text of its error event', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([{ event: 'error', data: { text: 'It broke.\n' } }]);
    await final('failed', { ...failure, message: 'Error running graph: It broke.' });
  };
  expect((await streamed('echo')).text).toBe('It broke.\n');
});

test('a failure that the flow did not cause is an error status', async () => {
  gateway.executor.handleJob = ({ final }) =>
    final('dead', { ...failure, code: 'attempts_exhausted', message: 'dead' });
  const answer = await gateway.call('POST', '/api/v1/responses', { model: 'echo', input: 'x' });
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([500, 'attempts_exhausted']);
});

test('the token usage of models is reported', async () => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
  const message = { text: 'answer', properties: { usage } };
  gateway.executor.handleJob = ({ final }) =>
    final('succeeded', {
      session_id: 's',
      outputs: [{ inputs: {}, outputs: [{ results: { message }, messages: [] }] }],
    });
  const answer = await client.responses.create({ model: 'echo', input: 'x' });
  expect([answer.output_text, answer.usage]).toMatchObject(['answer', usage]);
});
