import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import { SecretMask } from '../../secret-mask';
import { shownText, shownValue } from './shown-value';

const shown = (message: Message) => shownValue(message, new SecretMask(new Set()), { left: 1_000 });
const fields = { text: 'no', sender: 'Machine', senderName: 'AI', sessionId: 's', files: [] };
const inRecord = { text: 'no', sender: 'Machine', sender_name: 'AI', session_id: 's', files: [] };

test('a message that is an error is shown as one, and no other message is', () => {
  expect(shown(new Message({ ...fields, error: true }))).toEqual({ ...inRecord, error: true });
  expect(shown(new Message(fields))).toEqual(inRecord);
});

const mask = new SecretMask(new Set(['secret', '1234']));
const show = (value: unknown, left = 1_000_000) => shownValue(value, mask, { left });

test.each([
  ['a text', 'a secret', 'a [hidden]'],
  ['numbers', [1, 1.5, 1234, 12_345, 7n, new PythonFloat(2)], [1, 1.5, '[hidden]', '[hidden]5', '7', 2]],
  ['other scalars', [true, false, null, undefined], [true, false, null, null]],
  ['data', new Data({ a: 'secret' }), { a: '[hidden]' }],
  ['a table', new DataFrame([{ a: 1 }, { a: 2 }]), [{ a: 1 }, { a: 2 }]],
  ['a name', { 'my secret': 1 }, { 'my [hidden]': 1 }],
  ['an object of a class', [new Map(), new Date(0)], ['<object>', '<object>']],
  ['an object without a class', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
])('%s is shown without secrets', (_what, value, expected) => {
  expect(show(value)).toEqual(expected);
});

test('texts, lists, objects and depths are shown up to their bounds', () => {
  const text = (length: number) => new SecretMask(new Set()).start('x'.repeat(length), length);
  const plain = new SecretMask(new Set());
  const characters = { left: 10_000 };
  expect(shownText(text(2_048), plain, characters)).toBe(text(2_048));
  expect(shownText(text(2_049), plain, characters)).toBe(`${text(2_048)}…`);
  expect(characters.left).toBe(10_000 - 2 * 2_052);
  const list = Array.from({ length: 21 }, (_, index) => index);
  expect(show(list.slice(0, 20))).toEqual(list.slice(0, 20));
  expect(show(list)).toEqual([...list.slice(0, 20), '… 1 more']);
  const members = Object.fromEntries(Array.from({ length: 52 }, (_, index) => [`m${index}`, null]));
  const shown50 = Object.fromEntries(Object.entries(members).slice(0, 50));
  expect(show(shown50)).toEqual(shown50);
  expect(show(members)).toEqual({ ...shown50, '…': '2 more' });
  expect(shownValue({ ['k'.repeat(201)]: 1 }, plain, { left: 1_000 })).toEqual({ ['k'.repeat(200)]: 1 });
  expect(show([[[[[[1]]]]]])).toEqual([[[[[[1]]]]]]);
  expect(show([[[[[[[1]]]]]]])).toEqual([[[[[['…']]]]]]);
});

test('a record shows as many characters as it has left', () => {
  const characters = { left: 30 };
  const plain = new SecretMask(new Set());
  const value = { a: 'x'.repeat(100), b: 1, c: { d: 1 } };
  // The name and its marks take 5, the text all that is left.
  expect(shownValue(value, plain, characters)).toEqual({ a: `${'x'.repeat(25)}…`, b: 1, c: '…' });
  expect(characters.left).toBe(30 - 5 - 29 - 5 - 6 - 5);
});
