import OpenAI from 'openai';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources';
import { startModelServer } from './index';
import type { ModelServer } from './index';

let server: ModelServer;
let client: OpenAI;
beforeAll(async () => {
  server = await startModelServer();
  client = new OpenAI({ baseURL: server.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => server.close());

type Asked = ChatCompletionCreateParamsNonStreaming;
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        units: { type: 'string', enum: ['metric', 'imperial'] },
      },
    },
  },
} as const;
const user = (content: string) => ({ role: 'user', content }) as const;
const ask = async (messages: Asked['messages'], further: Partial<Asked> = {}) => {
  const completion = await client.chat.completions.create({ model: 'echo', messages, ...further });
  const [choice] = completion.choices;
  const call = choice?.message.tool_calls?.[0];
  return { choice, text: choice?.message.content, call: call?.type === 'function' ? call : undefined };
};
const called = (id: string): ChatCompletionAssistantMessageParam => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{}' } }],
});

test('calls a tool on a directive, then answers with its result', async () => {
  const question = user('Oslo for 3 days [[call=weather]]');
  const first = await ask([question], { tools: [weather] });
  expect(first.choice?.finish_reason).toBe('tool_calls');
  expect(first.call?.function).toEqual({
    name: 'weather',
    arguments: '{"city":"Oslo for 3 days","days":3,"units":"metric"}',
  });
  const result = { role: 'tool', tool_call_id: first.call?.id ?? '', content: 'Rain.' } as const;
  const second = await ask([question, called(first.call?.id ?? ''), result], { tools: [weather] });
  expect(second).toMatchObject({ text: 'Rain.', choice: { finish_reason: 'stop' } });
});

test('uses the arguments and the number of rounds of the directive', async () => {
  const question = user('[[call=weather with="days=7; city=New York" rounds=2]]');
  expect((await ask([question], { tools: [weather] })).call?.function.arguments).toBe(
    '{"city":"New York","days":7,"units":"metric"}',
  );
  const result = { role: 'tool', tool_call_id: 'a', content: 'Sun.' } as const;
  expect((await ask([question, called('a'), result], { tools: [weather] })).call).toBeDefined();
  const twice = [question, called('a'), result, called('a'), result];
  expect((await ask(twice, { tools: [weather] })).text).toBe('Sun.');
});

test('calls a required tool, and calls none when none is offered', async () => {
  const forced = { type: 'function', function: { name: 'weather' } } as const;
  expect((await ask([user('Bonn')], { tools: [weather], tool_choice: forced })).call?.function.name).toBe(
    'weather',
  );
  expect((await ask([user('Bonn')], { tools: [weather], tool_choice: 'required' })).call).toBeDefined();
  expect((await ask([user('Bonn')], { tools: [weather] })).text).toBe('Bonn');
  expect((await ask([user('Bonn [[call=weather]]')])).text).toBe('Bonn');
});

test('streams a call in several chunks', async () => {
  const stream = await client.chat.completions.create({
    model: 'echo',
    messages: [user('a b c [[call=weather]]')],
    tools: [weather],
    stream: true,
  });
  let text = '';
  let name = '';
  let pieces = 0;
  for await (const chunk of stream) {
    const call = chunk.choices[0]?.delta.tool_calls?.[0];
    if (call === undefined) continue;
    pieces += 1;
    name ||= call.function?.name ?? '';
    text += call.function?.arguments ?? '';
  }
  expect([name, JSON.parse(text)]).toEqual(['weather', { city: 'a b c', days: 1, units: 'metric' }]);
  expect(pieces).toBeGreaterThan(2);
});

test('answers with JSON of the requested schema', async () => {
  const schema = {
    type: 'object',
    $defs: {
      person: { type: 'object', properties: { name: { type: 'string' }, ok: { type: 'boolean' } } },
    },
    properties: {
      objects: { type: 'array', items: { $ref: '#/$defs/person' } },
      size: { type: 'number' },
    },
  };
  const { text } = await ask([user('Ann 1.5')], {
    response_format: { type: 'json_schema', json_schema: { name: 'people', schema } },
  });
  expect(JSON.parse(text ?? '')).toEqual({ objects: [{ name: 'Ann 1.5', ok: true }], size: 1.5 });
  const any = await ask([user('hi')], { response_format: { type: 'json_object' } });
  expect(any.text).toBe('{"answer":"hi"}');
});

test.each<readonly [string, Partial<Asked>, string]>([
  ['an invalid name', { tools: [{ type: 'function', function: { name: 'a b' } }] }, 'must match'],
  ['two tools with the same name', { tools: [weather, weather] }, 'must be unique'],
  ['a choice without tools', { tool_choice: 'auto' }, 'only allowed'],
  [
    'a choice that is not offered',
    { tools: [weather], tool_choice: { type: 'function', function: { name: 'x' } } },
    'must name one',
  ],
  ['an unanswered call', { messages: [user('q'), called('a'), user('q')] }, 'have no result: a'],
  [
    'a result without a call',
    { messages: [{ role: 'tool', tool_call_id: 'a', content: '' }] },
    'does not belong to a tool call',
  ],
  [
    'a directive with a tool that is not offered',
    { messages: [user('[[call=x]]')], tools: [weather] },
    'the offered tools are weather',
  ],
])('refuses %s', async (_, { messages = [user('q')], ...further }, reason) => {
  await expect(ask(messages, further)).rejects.toThrow(reason);
});
