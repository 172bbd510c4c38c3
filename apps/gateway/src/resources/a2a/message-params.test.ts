import { inputOf, readMessageParams, readTaskParams } from './message-params';

const text = { kind: 'text', text: 'Hi' };
const message = { messageId: 'm', role: 'user', parts: [text] };
const configured = (configuration: object) => ({ message, configuration });

test.each([
  ['a text', { message }, {}],
  [
    'parts without a kind',
    { message: { ...message, parts: [{ text: 'a' }, { text: 'b' }] } },
    { text: 'a\nb' },
  ],
  ['a text with data', { message: { ...message, parts: [text, { data: { b: 1 } }] } }, { data: [{ b: 1 }] }],
  [
    'a task and a conversation',
    { message: { ...message, taskId: 't', contextId: 'c'.repeat(500) } },
    { taskId: 't', contextId: 'c'.repeat(500) },
  ],
  ['empty ids', { message: { ...message, taskId: '', contextId: '' } }, {}],
  [
    'nothing about waiting',
    configured({ blocking: null, historyLength: 0, pushNotificationConfig: null }),
    {},
  ],
  ['the wish not to wait', configured({ blocking: 'false' }), { isBlocking: false }],
])('a message with %s is read', (_what, params, read) => {
  const plain = { text: 'Hi', data: [], taskId: null, contextId: null, isBlocking: true };
  expect(readMessageParams(params)).toEqual({ ...plain, ...read });
});

const file = (bytes: unknown) => ({
  message: { ...message, parts: [text, { kind: 'file', file: { bytes } }] },
});
const part = 'Input should be a part with a text, an object as data, or a file';
const invalid = (data: string) => ({ code: -32_600, message: 'Invalid Request', data });
const badParams = (why: string) => ({ code: -32_602, message: why, data: null });

test.each([
  ['no message', {}, invalid('params.message: Field required')],
  [
    'a role of its own',
    { message: { ...message, role: 'x' } },
    invalid("params.message.role: Input should be 'agent' or 'user'"),
  ],
  [
    'a part of no kind',
    { message: { ...message, parts: [text, {}] } },
    invalid(`params.message.parts.1: ${part}`),
  ],
  [
    'a text that is data',
    { message: { ...message, parts: [{ kind: 'data', text: 'a' }] } },
    invalid(`params.message.parts.0: ${part}`),
  ],
  ['a file without bytes', file(1), invalid(`params.message.parts.1: ${part}`)],
  ['no id', { message: { ...message, messageId: '' } }, badParams('Validation failed')],
  ['no parts', { message: { ...message, parts: [] } }, badParams('Validation failed')],
  ['a negative history', configured({ historyLength: -1 }), badParams('history length must be non-negative')],
  [
    'a long conversation',
    { message: { ...message, contextId: 'c'.repeat(501) } },
    badParams('contextId is longer than 500 characters'),
  ],
  [
    'notifications',
    configured({ pushNotificationConfig: {} }),
    { code: -32_003, message: 'Push Notification is not supported', data: null },
  ],
  [
    'a file',
    file('aGk='),
    {
      code: -32_005,
      message: 'Incompatible content types: a message cannot have a part with a file',
      data: null,
    },
  ],
])('a message with %s is refused', (_what, params, error) => {
  expect(() => readMessageParams(params)).toThrow(expect.objectContaining(error));
});

test('a task is named by its id', () => {
  expect(readTaskParams({ id: 't', historyLength: 0 })).toBe('t');
  expect(() => readTaskParams({})).toThrow(expect.objectContaining(invalid('params.id: Field required')));
  expect(() => readTaskParams({ id: 't', historyLength: -1 })).toThrow('history length must be non-negative');
});

test('the input of a flow is the text of a message, or its data as JSON', () => {
  expect(inputOf({ text: 'a', data: [{ b: 1 }] })).toBe('a');
  expect(inputOf({ text: '', data: [] })).toBe('');
  expect(inputOf({ text: '', data: [{ b: 'ä' }] })).toBe('{"b": "\\u00e4"}');
  expect(inputOf({ text: '', data: [{ b: 1 }, { c: 2 }] })).toBe('[{"b": 1}, {"c": 2}]');
});
