import type { PythonValue } from '@millrace/python-text';
import { vectorsIn } from './vectors-in';

const read = (text: string) => {
  const value = JSON.parse(text) as PythonValue;
  return vectorsIn('OpenAI', value, { data: value });
};

test('returns vectors of one length', () => {
  expect(read('[[0.5, -1, 2e300], [1, 2, 3]]')).toEqual([
    [0.5, -1, 2e300],
    [1, 2, 3],
  ]);
});

test.each([
  ['no vector', '[]'],
  ['an empty vector', '[[]]'],
  ['a number beyond the range of JSON numbers', '[[1e999, 0]]'],
  ['vectors of two lengths', '[[1, 2], [1, 2, 3]]'],
  ['texts', '[["0.1", "0.2"]]'],
  ['base64', '["zczMPQ=="]'],
  ['null', '[[1, null]]'],
  ['no list', '{"0": [1]}'],
])('refuses %s', (_, text) => {
  expect(() => read(text)).toThrow(/^OpenAI did not return vectors, but: /);
});
