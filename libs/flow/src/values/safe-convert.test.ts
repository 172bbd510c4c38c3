import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import { safeConvert } from '../index';

const langflow = '1.13';

test('returns cleaned texts and unchanged messages', () => {
  expect(safeConvert('a\n\n\n\nb', { langflow })).toBe('a\n\nb');
  expect(safeConvert(new Message({ text: 'a\n\n\n\nb' }), { langflow })).toBe('a\n\n\n\nb');
});

test('returns a Data as a block of JSON', () => {
  expect(safeConvert(new Data({ a: 'ž', b: [1, { c: null }], f: new PythonFloat(1) }), { langflow })).toBe(
    '```json\n{\n  "a": "ž",\n  "b": [\n    1,\n    {\n      "c": null\n    }\n  ],\n  "f": 1.0\n}\n```',
  );
  expect(safeConvert(new Data(), { langflow })).toBe('```json\n{}\n```');
});

test('returns a table in Markdown, cleaned only with cleanData', () => {
  const table = new DataFrame([{ a: 'x|y', b: '  ' }, {}, { a: '1\n\n2', b: 3 }]);
  expect(safeConvert(table, { langflow }).split('\n')).toEqual([
    '| a            | b   |',
    '|:-------------|:----|',
    '| x\\|y         |     |',
    '| nan          | nan |',
    '| 1<br/><br/>2 | 3   |',
  ]);
  expect(safeConvert(table, { cleanData: true, langflow }).split('\n')).toEqual([
    '| a       |   b |',
    '|:--------|----:|',
    '| x\\|y    |     |',
    '| 1<br/>2 |   3 |',
  ]);
});

test('spreads a cell with several lines over rows, as in Langflow 1.11', () => {
  const table = new DataFrame([{ a: 'x|y', b: '  ' }, {}, { a: '1\n\n2', b: 3 }]);
  expect(safeConvert(table, { langflow: '1.11' }).split('\n')).toEqual([
    '| a    | b   |',
    '|:-----|:----|',
    '| x\\|y |     |',
    '| nan  | nan |',
    '| 1    | 3   |',
    '|      |     |',
    '| 2    |     |',
  ]);
  expect(safeConvert(table, { cleanData: true, langflow: '1.11' }).split('\n')).toEqual([
    '| a    |   b |',
    '|:-----|----:|',
    '| x\\|y |     |',
    '| 1    |   3 |',
    '| 2    |     |',
  ]);
});

test('returns other values as Python prints them', () => {
  expect([null, true, 2, ['x'], { a: null }].map((value) => safeConvert(value, { langflow }))).toEqual([
    'None',
    'True',
    '2',
    "['x']",
    "{'a': None}",
  ]);
});

test('reports values that cannot be written', () => {
  expect(() => safeConvert(new Data({ a: 2n ** 70n }), { langflow })).toThrow(
    'Error converting data: Integer exceeds 64-bit range',
  );
});

test('takes linear time for newlines inside a cell', () => {
  const cell = `x${'\n'.repeat(500_000)}x`;
  const text = safeConvert(new DataFrame([{ a: `\n${cell}\n` }]), { langflow });
  expect(text.split('\n').at(-1)).toHaveLength('| x'.length + 500_000 * '<br/>'.length + 'x |'.length);
});
