import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

const examples = join(__dirname, '../../../../../examples');
const echo = JSON.parse(readFileSync(join(examples, 'echo.json'), 'utf8')) as object;

let client: OpenAI;
let flow: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flow = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
  await gateway.createFlow({ name: 'empty', endpoint_name: 'empty' });
  client = new OpenAI({ apiKey: TEST_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

const failure = { code: 'component_failed', message: 'It broke.', vertex: null, problems: [] };
const token = (chunk: string) => ({ event: 'token', data: { chunk, id: 'm' } });
const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
const user = (content: string) => [{ role: 'user' as const, content }];
const answerWith = (text: string) => ({
  session_id: 's',
  outputs: [{ inputs: {}, outputs: [{ results: { message: { text, properties: { usage } } } }] }],
});
const refused = (request: Promise<unknown>) =>
  request.then(
    () => null,
    (error: unknown) => error,
  );

test('flows are models, by their endpoint name', async () => {
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(expect.arrayContaining(['echo', 'empty']));
  expect(await client.models.retrieve('echo')).toMatchObject({ id: 'echo', object: 'model' });
  expect(await client.models.retrieve(flow)).toMatchObject({ id: 'echo' });
  expect(await refused(client.models.retrieve('unknown'))).toBeInstanceOf(OpenAI.NotFoundError);
});

test('the openai package gets a whole answer to the last message of the user', async () => {
  const messages = [
    { role: 'system' as const, content: 'be brief' },
    ...user('first'),
    { role: 'assistant' as const, content: 'yes' },
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] },
  ];
  const answer = await client.chat.completions.create({ model: 'echo', messages });
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'hello' },
  });
  expect(answer.usage).toBeUndefined();
});

test('a session continues where the request names it, by header or member', async () => {
  const session = { headers: { 'x-session-id': 'conversation' } };
  await client.chat.completions.create({ model: 'echo', messages: user('one') }, session);
  const body = { model: 'echo', messages: user('two'), session_id: 'conversation' };
  await client.chat.completions.create(body);
  const stored = await gateway.call('GET', '/api/v1/monitor/messages?session_id=conversation');
  expect((stored.json as { text: string }[]).map(({ text }) => text)).toEqual(['one', 'one', 'two', 'two']);
});

test('a stream has each token once, then the usage when it is asked for', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([{ event: 'add_message', data: { text: 'Grüß ' } }, token('Grüß '), token('dich')]);
    await final('succeeded', answerWith('Grüß dich'));
  };
  const stream = await client.chat.completions.create({
    model: 'echo',
    messages: user('x'),
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Grüß dich');
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, total_tokens: 7 } });
});

test('a streamed flow without tokens has its text in one chunk', async () => {
  const stream = client.chat.completions.stream({ model: 'echo', messages: user('hello') });
  expect(await stream.finalContent()).toBe('hello');
});

test('the text of a second attempt follows that of the first on a new line', async () => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([token('lost')]);
    await events([token('whole')], 2);
    await final('succeeded', answerWith('whole'), 2);
  };
  const stream = client.chat.completions.stream({ model: 'echo', messages: user('x') });
  expect(await stream.finalContent()).toBe('lost\nwhole');
});

test('the usage of models is reported', async () => {
  gateway.executor.handleJob = ({ final }) => final('succeeded', answerWith('answer'));
  const { usage: reported } = await client.chat.completions.create({ model: 'echo', messages: user('x') });
  expect(reported).toEqual({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
});

test('a failed flow is an error of the openai package, whole and streamed', async () => {
  gateway.executor.handleJob = ({ final }) => final('failed', failure);
  const request = { model: 'echo', messages: user('x') };
  const error = await refused(client.chat.completions.create(request));
  expect(error).toBeInstanceOf(OpenAI.InternalServerError);
  expect(error).toMatchObject({ code: 'component_failed', type: 'server_error' });
  const stream = client.chat.completions.stream(request);
  await expect(stream.finalContent()).rejects.toThrow('It broke.');
});

test.each([
  ['an unknown model', { model: 'unknown', messages: user('x') }, 404, 'flow_unknown'],
  ['an empty flow', { model: 'empty', messages: user('x') }, 404, 'flow_without_data'],
  [
    'no message of the user',
    { model: 'echo', messages: [{ role: 'system', content: 'x' }] },
    400,
    'invalid_value',
  ],
  ['tools', { model: 'echo', messages: user('x'), tools: [{}] }, 400, 'invalid_value'],
  ['functions', { model: 'echo', messages: user('x'), functions: [{}] }, 400, 'invalid_value'],
  ['two choices', { model: 'echo', messages: user('x'), n: 2 }, 400, 'invalid_value'],
  [
    'an image',
    { model: 'echo', messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    400,
    'invalid_value',
  ],
  ['no messages', { model: 'echo' }, 422, 'invalid_request'],
] as const)('%s is refused in the shape of OpenAI', async (_what, body, status, code) => {
  const error = await refused(client.chat.completions.create(body as never));
  expect(error).toBeInstanceOf(OpenAI.APIError);
  const { status: given, code: its, message } = error as InstanceType<typeof OpenAI.APIError>;
  expect([given, its, message]).toEqual([status, code, expect.not.stringContaining('no body')]);
});

test('a wrong key is reported as such', async () => {
  const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  expect(await refused(wrong.models.list())).toBeInstanceOf(OpenAI.PermissionDeniedError);
});
