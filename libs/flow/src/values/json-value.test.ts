import {
  Data,
  DataFrame,
  Message,
  parsePythonJson,
  PythonFloat,
  repr,
  tableRecords,
  tableRows,
} from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { jsonValue } from '../index';

test('is ready for JSON.stringify for every kind of value', () => {
  const value = { f: new PythonFloat(1), nan: Number.NaN, big: 2n ** 60n, list: [new Data({ a: 1 })] };
  expect(JSON.stringify(jsonValue(value))).toBe(
    '{"f":1,"nan":null,"big":1152921504606847000,"list":[{"text_key":"text","data":{"a":1},"default_value":""}]}',
  );
});

test('a table becomes its rows, with every column in every row', () => {
  expect(jsonValue(new DataFrame([{ a: 1, b: 'x' }, { a: 2 }]))).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: null },
  ]);
});

test('a message contains its data twice, a model is null', () => {
  expect(jsonValue(new Message({ text: 'x' }))).toMatchObject({ text: 'x', data: { text: 'x' } });
  expect(jsonValue({ kind: 'language-model', provider: 'p', model: 'm', settings: { key: 's' } })).toBeNull();
});

test.each([
  ['[{"a": 3, "b": 0.5}]', "[{'a': 3, 'b': 0.5}]", "[{'a': 3.0, 'b': 0.5}]"],
  ['[{"a": 3, "b": "x"}]', "[{'a': 3, 'b': 'x'}]", "[{'a': 3, 'b': 'x'}]"],
  [
    '[{"a": 1}, {"b": "x"}]',
    "[{'a': 1.0, 'b': nan}, {'a': nan, 'b': 'x'}]",
    "[{'a': 1.0, 'b': nan}, {'a': nan, 'b': 'x'}]",
  ],
  ['[{"a": true}, {"a": null}]', "[{'a': True}, {'a': None}]", "[{'a': True}, {'a': None}]"],
])('the table %s has the cells of pandas, by column and by row', (json, records, rows) => {
  const table = new DataFrame(parsePythonJson(json) as unknown as PythonObject[]);
  expect(repr(tableRecords(table))).toBe(records);
  expect(repr(tableRows(table))).toBe(rows);
});
