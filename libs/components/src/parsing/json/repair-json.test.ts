import { runInNewContext } from 'node:vm';
import { jsonValue } from '@millrace/flow';
import fc from 'fast-check';
import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { repairJson } from './repair-json';

test.each<[string, PythonValue]>([
  ['{"a": 1.0}', { a: new PythonFloat(1) }],
  ["{'a': 1, b: 2,}", { a: 1, b: 2 }],
  ['{"a": 1 // one\n, "b": [1, 2,], /* two */ }', { a: 1, b: [1, 2] }],
  ['```json\n{"a": "x"}\n```', { a: 'x' }],
  ['Here it is: {"a": True, "b": None, "c": -1.5e3} thanks', { a: true, b: null, c: new PythonFloat(-1500) }],
  ['{"a": "he said "hi" to me", "b": 1}', { a: 'he said "hi" to me', b: 1 }],
  ['{"a": "cut of', { a: 'cut of' }],
  ['{"a": "cut of \\', { a: 'cut of \\' }],
  ['{"a": "cut of \\u12', { a: 'cut of \\u12' }],
  ['{"a": [1, {"b": 2', { a: [1, { b: 2 }] }],
  ['[{"a": 1} {"a": 2}]', [{ a: 1 }, { a: 2 }]],
  ['{"a": , "b": 1}', { a: '', b: 1 }],
  ['{“a”: “x”}', { a: 'x' }],
  ['{"a": "line\nbreak \\u00e9 \\n"}', { a: 'line\nbreak é \n' }],
  ['{name: Eva Novak, age: 31}', { name: 'Eva Novak', age: 31 }],
  ['{"n": 12345678901234567890,}', { n: 12345678901234567890n }],
  ['{"a": 1 "b": 2, : 3}', { '': 3, a: 1, b: 2 }],
  ['[1 2 3]', [1, 2, 3]],
  ['{"k": [1,2,}', { k: [1, 2] }],
  ['{"a": {"b": 1], "c": 2}', { a: { b: 1 } }],
  ['{"a" = "b" // c\n}', { a: 'b' }],
  ['{"a": "\\d \\" /"}', { a: '\\d " /' }],
  ['{true: 1, 2: x}', { true: 1, 2: 'x' }],
  [
    '{"text": "He said: "ok", then left", "b": 2024-01-01}',
    { text: 'He said: "ok", then left', b: '2024-01-01' },
  ],
  ['{"a": 1,,}', { a: '1,' }],
  ['{"a": 1,000, "b": [1,000], "c": 1-2}', { a: '1,000', b: [1, 0], c: '1-2' }],
  ['no json', ''],
])('%s', (text, expected) => {
  expect(repairJson(text)).toEqual(expected);
});

test('does not change valid JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      const text = JSON.stringify(value);
      expect(jsonValue(repairJson(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('reads any text in linear time', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\'/* \\\nua1#') }), (text) => {
      repairJson(text);
    }),
    { numRuns: 500 },
  );
  for (const unit of [
    '/*,',
    '{"a":',
    "{'",
    '[',
    '"',
    '{"a" "b',
    "'{,",
    '\\"',
    '#{',
    '" ',
    '1,',
    '{"a":1,1',
  ]) {
    // In quadratic time this takes minutes. The deadline interrupts it.
    const work = () => repairJson(`{${unit.repeat(100_000)}`);
    runInNewContext('work()', { work }, { timeout: 20_000 });
  }
});

test('takes linear time for digits that are no number', () => {
  const text = `${'1'.repeat(700_000)}x`;
  expect(repairJson(`{"a": ${text}}`)).toEqual({ a: text });
});

test('a carriage return keeps a comment, in linear time for many', () => {
  expect(repairJson('{a: b # one\r # two}')).toEqual({ a: 'b # one' });
  const text = `b${' #'.repeat(400_000)}\rc`;
  expect(repairJson(`{a: ${text}}`)).toEqual({ a: text });
});
