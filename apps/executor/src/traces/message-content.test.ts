import { boundedText, inputMessages, outputMessages } from './message-content';

const redact = (text: string) => text.replaceAll('secret', '[hidden]');
const plain = (text: string) => text;

test('messages have the parts of the conventions, without secrets', () => {
  const calls = [{ id: 'c', name: 'add', argumentsText: '{"key":"secret"}' }];
  const messages = [
    { role: 'user' as const, content: 'a secret' },
    { role: 'assistant' as const, content: '', toolCalls: calls },
    { role: 'tool' as const, content: 'done', callId: 'c' },
    { role: 'tool' as const, content: 'secret' },
  ];
  const call = { type: 'tool_call', id: 'c', name: 'add', arguments: '{"key":"[hidden]"}' };
  expect(JSON.parse(inputMessages(messages, redact))).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'a [hidden]' }] },
    { role: 'assistant', parts: [call] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'done' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: '', response: '[hidden]' }] },
  ]);
  const parts = [{ type: 'text', content: 'ok' }, call];
  const answer = { text: 'ok', toolCalls: calls, finishReason: 'stop', model: 'm', usage: null };
  expect(JSON.parse(outputMessages(answer, redact))).toEqual([
    { role: 'assistant', parts, finish_reason: 'stop' },
  ]);
  expect(JSON.parse(outputMessages({ ...answer, finishReason: null }, redact))).toMatchObject([
    { finish_reason: 'unknown' },
  ]);
});

test('an attribute has 16,384 characters, of the newest messages', () => {
  const message = (content: string) => ({ role: 'user' as const, content });
  const contents = (...texts: readonly string[]) =>
    (JSON.parse(inputMessages(texts.map(message), plain)) as { parts: { content: string }[] }[]).map(
      ({ parts }) => parts[0]?.content,
    );
  const [half, all] = ['x'.repeat(8_192), 'x'.repeat(16_384)];
  expect(contents('older', half, half)).toEqual([half, half]);
  expect(contents('older', half, half.slice(1))).toEqual(['o…', half, half.slice(1)]);
  expect(contents('older', all)).toEqual([all]);
  expect(boundedText(all, plain)).toBe(all);
  expect(boundedText(`${all}y`, plain)).toBe(`${all}…`);
  expect(boundedText(`${'x'.repeat(16_380)}secret`, redact)).toBe(`${'x'.repeat(16_380)}[hid…`);
});
