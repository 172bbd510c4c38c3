import type { ObservedMessage } from '@millrace/flow';
import { callTraces } from './call-traces';
import { RecordedCall } from './recorded-call';
import { SecretMask } from '../../secret-mask';

const asked: readonly ObservedMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is 6 times 7? My key is sk-secret.' },
];
const requested: ObservedMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'call-1', name: 'times', argumentsText: '[6,7]' }],
};
const answered: ObservedMessage = { role: 'tool', content: '42', callId: 'call-1' };

const modelCall = (messages: readonly ObservedMessage[]) =>
  new RecordedCall({
    model: {
      operation: 'chat',
      provider: 'OpenAI',
      model: 'small',
      address: '',
      streams: false,
      parameters: {},
      messages,
    },
  });
const toolCall = () =>
  new RecordedCall({ tool: { id: '', name: 'times', description: '', arguments: { by: 'sk-secret' } } });

function shown(...calls: readonly RecordedCall[]) {
  const mask = new SecretMask(new Set(['sk-secret']));
  return callTraces(calls, { started: 0, mask, unended: 'running', characters: { left: 10_000 } });
}

test('a call of a model shows what the one before was not asked, and its answer', () => {
  const [first, tool, second] = [
    modelCall([...asked]),
    toolCall(),
    modelCall([...asked, requested, answered]),
  ];
  first.answer = { text: '', toolCalls: requested.toolCalls ?? [] };
  first.tokens = { input: 10, output: 2 };
  first.end();
  tool.result = '42';
  tool.end();
  const requests = [{ name: 'times', arguments: '[6,7]' }];
  const question = { role: 'user', content: 'What is 6 times 7? My key is [hidden].' };
  expect(shown(first, tool, second)).toMatchObject([
    {
      kind: 'model',
      name: 'small',
      provider: 'OpenAI',
      state: 'succeeded',
      inputTokens: 10,
      outputTokens: 2,
      earlierMessages: 0,
      messages: [asked[0], question],
      answer: { role: 'assistant', content: '', toolCalls: requests },
    },
    { kind: 'tool', name: 'times', state: 'succeeded', arguments: { by: '[hidden]' }, result: '42' },
    {
      state: 'running',
      earlierMessages: 2,
      messages: [
        { role: 'assistant', content: '', toolCalls: requests },
        { role: 'tool', content: '42' },
      ],
    },
  ]);
});

test('messages that an agent adds after the call are not shown with it, and 20 at most', () => {
  const messages = Array.from({ length: 25 }, (_, index) => ({ role: 'user' as const, content: `${index}` }));
  const call = modelCall(messages);
  messages.push({ role: 'user', content: 'later' });
  const [trace] = shown(call);
  expect(trace).toMatchObject({ earlierMessages: 5 });
  expect(trace?.messages?.map(({ content }) => content)).toEqual(
    messages.slice(5, 25).map((one) => one.content),
  );
});

test.each([
  [new Error('refused sk-secret'), 'refused [hidden]'],
  ['x'.repeat(2_000), 'x'.repeat(1_024)],
])('a call that fails shows its error', (error, text) => {
  const call = toolCall();
  call.fail(error);
  expect(shown(call)).toMatchObject([{ state: 'failed', error: text }]);
});

test('without values, a call shows no texts', () => {
  const mask = new SecretMask(new Set());
  const call = modelCall(asked);
  const [trace] = callTraces([call], { started: 0, mask, unended: 'unfinished', characters: null });
  expect(trace).toMatchObject({ state: 'unfinished' });
  expect(trace).not.toHaveProperty('messages');
});
