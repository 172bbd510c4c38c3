import { runInNewContext } from 'node:vm';
import { cleanString, unescapeNewlines } from '../index';

test.each([
  ['a\n\n\n\nb', 'a\n\nb'],
  ['a\n \t \n\n b', 'a\n\n b'],
  ['\n\nabc', '\nabc'],
  ['abc\n\n', 'abc\n'],
  ['   ', ''],
  ['  x  ', '  x  '],
  ['a\r\n\r\nb', 'a\r\n\nb'],
])('cleans %j', (text, expected) => {
  expect(cleanString(text)).toBe(expected);
});

test('cleans a long run of blanks in linear time', () => {
  const work = () => cleanString(`${'\n'.repeat(500_000)}x${' '.repeat(500_000)}y`);
  // In quadratic time this takes minutes. The deadline interrupts it.
  expect(runInNewContext('work()', { work }, { timeout: 20_000 })).toMatch(/^\n+x +y$/);
});

test('only a backslash followed by n becomes a newline', () => {
  expect(unescapeNewlines('a\\nb\\t\n')).toBe('a\nb\\t\n');
});
