import { startModelServer } from '../index';
import type { ModelServer } from '../index';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ apiKey: 'right' });
});
afterAll(() => server.close());

const tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
};
const post = (body: object, key = 'right') =>
  fetch(`${server.origin}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'echo', max_tokens: 100, ...body }),
  });
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Rain.' }] };

test('answers in one response, with usage', async () => {
  const answer = await (await post({ system: 'Be brief.', messages: [user('one two three')] })).json();
  expect(answer).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'one two three' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 3 },
  });
  const cut = await (await post({ max_tokens: 2, messages: [user('one two three')] })).json();
  expect(cut).toMatchObject({ content: [{ text: 'one two' }], stop_reason: 'max_tokens' });
});

test('streams named events, one for each token', async () => {
  const text = await (await post({ stream: true, messages: [user('one two')] })).text();
  const events = [...text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(([, name, data]) => [
    name,
    JSON.parse(data ?? '') as { type: string; delta?: { text?: string } },
  ]) as [string, { type: string; delta?: { text?: string } }][];
  expect(events.map(([name]) => name)).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(events.flatMap(([, { delta }]) => delta?.text ?? [])).toEqual(['one', ' two']);
  expect(events.every(([name, { type }]) => name === type)).toBe(true);
});

test('calls a tool, uses its result, and calls a forced one', async () => {
  const question = user('Oslo for 3 days [[call=weather]]');
  const first = await (await post({ messages: [question], tools: [tool] })).json();
  expect(first).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'weather', input: { city: 'Oslo for 3 days', days: 3 } }],
  });
  const second = await (await post({ messages: [question, call, result], tools: [tool] })).json();
  expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'Rain.' }] });
  const forced = { tools: [tool], tool_choice: { type: 'tool', name: 'weather' }, stream: true };
  const streamed = await (await post({ messages: [user('7')], ...forced })).text();
  expect(streamed).toContain('"partial_json":"{\\"city\\":\\"7\\",\\"days\\":7}"');
});

test('follows a schema', async () => {
  const schema = { type: 'object', properties: { days: { type: 'integer' } } };
  const output_config = { format: { type: 'json_schema', schema } };
  const answer = await (await post({ messages: [user('4 days')], output_config })).json();
  expect(answer).toMatchObject({ content: [{ text: '{"days":4}' }] });
});

test.each([
  [{ messages: [] }, 'at least one message'],
  [{ messages: [call] }, 'first message must use the "user" role'],
  [{ messages: [user('q')], max_tokens: 0 }, 'max_tokens'],
  [{ messages: [user('')] }, 'not empty'],
  [{ messages: [user('q'), call, user('and?')], tools: [tool] }, 'without `tool_result` blocks'],
  [{ messages: [user('q'), result] }, 'unexpected `tool_use_id`'],
  [{ messages: [user('q')], temperatur: 1 }, 'Extra inputs are not permitted'],
  [{ messages: [user('q')], tool_choice: { type: 'any' } }, 'only be specified while providing tools'],
  [{ messages: [user('q')], tools: [{ ...tool, name: 'a b' }] }, 'tools.0.name'],
])('refuses %j', async (body, reason) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  const answer: unknown = await response.json();
  expect(answer).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  expect(JSON.stringify(answer)).toContain(JSON.stringify(reason).slice(1, -1));
});

test('checks its key, and refuses with the requested status', async () => {
  const wrong = await post({ messages: [user('q')] }, 'wrong');
  expect([wrong.status, await wrong.json()]).toMatchObject([
    401,
    { error: { type: 'authentication_error' } },
  ]);
  const busy = await post({ messages: [user('[[status=529]]')] });
  expect([busy.status, await busy.json()]).toMatchObject([529, { error: { type: 'overloaded_error' } }]);
});
