import { DataFrame, markdownTable, parsePythonJson } from '../index';
import type { PythonObject } from '../index';

function table(json: string): DataFrame {
  return new DataFrame(parsePythonJson(json) as unknown as PythonObject[]);
}

test.each([
  ['[{"a": 1, "b": "x", "c": 1.5}]', ['|   a | b   |   c |', '|----:|:----|----:|', '|   1 | x   | 1.5 |']],
  [
    '[{"t": "1.50", "n": 1}, {"t": "-3", "n": null}, {"n": 1234567}]',
    [
      '|     t |             n |',
      '|------:|--------------:|',
      '|   1.5 |   1           |',
      '|  -3   | nan           |',
      '| nan   |   1.23457e+06 |',
    ],
  ],
  [
    '[{"x": null, "ok": true, "l": [1, "x"]}, {"x": "é漢", "ok": false, "l": {"k": null}}]',
    [
      '| x   | ok    | l           |',
      '|:----|:------|:------------|',
      "|     | True  | [1, 'x']    |",
      "| é漢  | False | {'k': None} |",
    ],
  ],
  [
    '[{"a": "one\\ntwo", "b": 10}, {"a": " pad ", "b": 2}]',
    ['| a   |   b |', '|:----|----:|', '| one |  10 |', '| two |     |', '| pad |   2 |'],
  ],
])('formats %s as pandas does', (json, lines) => {
  expect(markdownTable(table(json)).split('\n')).toEqual(lines);
});

test('a table without rows has a header; one without columns is empty', () => {
  expect(markdownTable(new DataFrame([], ['a', 'b']))).toBe('| a   | b   |\n|-----|-----|');
  expect(markdownTable(new DataFrame([]))).toBe('');
});

test('a table that would exhaust the memory is rejected', () => {
  const rows = Array.from({ length: 20_000 }, () => ({ a: 'x' }));
  expect(() => markdownTable(new DataFrame([{ a: 'x'.repeat(2000) }, ...rows]))).toThrow(/longer than/);
});

test('the lines of a cell count in each column', () => {
  const names = Array.from({ length: 1000 }, (_, index) => [`c${index}`, '']);
  const row = { ...Object.fromEntries(names), a: `x${'\n'.repeat(10_000)}x` };
  expect(() => markdownTable(new DataFrame([row]))).toThrow(/longer than/);
});
