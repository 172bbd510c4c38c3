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
  const begin = performance.now();
  cleanString(`${'\n'.repeat(500_000)}x${' '.repeat(500_000)}y`);
  expect(performance.now() - begin).toBeLessThan(1000);
});

test('only a backslash followed by n becomes a newline', () => {
  expect(unescapeNewlines('a\\nb\\t\n')).toBe('a\nb\\t\n');
});
