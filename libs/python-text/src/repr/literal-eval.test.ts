import fc from 'fast-check';
import { literalEval } from './literal-eval';
import { PythonFloat } from '../values/python-float';
import { repr } from './repr';
import type { PythonValue } from '../values/python-value';

test.each<[string, PythonValue | undefined]>([
  ['12', 12],
  [' -5 ', -5],
  ['1.5', 1.5],
  ['1.0', new PythonFloat(1)],
  ['1e3', new PythonFloat(1000)],
  ['0x1F', 31],
  ['1_000', 1000],
  ['12345678901234567890', 12345678901234567890n],
  ['007', undefined],
  ['True', true],
  ['None', null],
  ['[1, 2,]', [1, 2]],
  ['()', []],
  ['(1)', 1],
  ['(1,)', [1]],
  ["{'a': {'b': [1, None]}, 2: 'x'}", { 2: 'x', a: { b: [1, null] } }],
  ["{1, 'b'}", [1, 'b']],
  ['"it\'s\\n\\u00e9"', "it's\né"],
  ["'''a\nb'''", 'a\nb'],
  ['text', undefined],
  ['1 + 1', undefined],
  ['[1', undefined],
  ['{1: 2, 3}', undefined],
  ['__import__("os")', undefined],
  ['', undefined],
  ['['.repeat(5000), undefined],
  ['[1,,2]', undefined],
  ['[,]', undefined],
  [`${'{'.repeat(60)}1${'}'.repeat(60)}x`, undefined],
])('%j is %j', (text, value) => {
  expect(literalEval(text)).toEqual(value);
});

test('parses the output of repr', () => {
  const json = fc.letrec<{ value: PythonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      expect(repr(literalEval(repr(value)) ?? null)).toBe(repr(value));
    }),
  );
});
