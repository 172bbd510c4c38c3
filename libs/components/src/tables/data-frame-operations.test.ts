import { DataFrame } from '@millrace/python-text';
import { checkSelection } from './operations/column-errors';
import { mergeTables } from './operations/merge-tables';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

const people =
  '[{"name":"Ann","age":30,"city":"Brno"},{"name":"Bob","age":25,"city":"Praha"},{"name":"Cid","age":35,"city":"Brno"}]';

const operating = async (name: string, values: Values, rows = people): Promise<unknown> => {
  const operation = name === '' ? '' : [{ name, icon: 'x' }];
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: rows }),
      node('DataToDataFrame-b', 'DataToDataFrame'),
      node('Table-c', 'DataFrameOperations', { operation, ...values }),
    ],
    [
      edge('JSONtoData-a', 'data', 'DataToDataFrame-b', 'data_list'),
      edge('DataToDataFrame-b', 'dataframe', 'Table-c', 'df'),
    ],
  );
  const { result } = await runFlow(document, { show: 'Table-c' });
  return result?.outputs['output']?.message;
};
const names = async (...given: Parameters<typeof operating>): Promise<readonly unknown[]> =>
  ((await operating(...given)) as readonly { readonly name: unknown }[]).map(({ name }) => name);

test.each<[string, string, string, readonly string[]]>([
  ['city', 'equals', 'Brno', ['Ann', 'Cid']],
  ['city', 'not equals', 'Brno', ['Bob']],
  ['city', 'contains', '^B', ['Ann', 'Cid']],
  ['city', 'not contains', 'r(n|a)', []],
  ['city', 'starts with', 'P', ['Bob']],
  ['city', 'ends with', 'o', ['Ann', 'Cid']],
  ['age', 'greater than', '28', ['Ann', 'Cid']],
  ['age', 'less than', '30.5', ['Ann', 'Bob']],
  ['name', 'greater than', 'B', ['Bob', 'Cid']],
  ['age', 'equals', '30', ['Ann']],
  ['age', 'equals', 'Ann', []],
  ['age', 'not equals', '30', ['Bob', 'Cid']],
  ['city', 'unknown', '', ['Ann', 'Bob', 'Cid']],
])('keeps rows whose %s %s %s', async (column_name, filter_operator, filter_value, expected) => {
  expect(await names('Filter', { column_name, filter_operator, filter_value })).toEqual(expected);
});

test('sorts rows; rows without a value come last', async () => {
  const rows = '[{"name":"a","n":10},{"name":"b"},{"name":"c","n":9.5},{"name":"d","n":10}]';
  expect(await names('Sort', { column_name: 'n' }, rows)).toEqual(['c', 'a', 'd', 'b']);
  expect(await names('Sort', { column_name: 'n', ascending: false }, rows)).toEqual(['a', 'd', 'c', 'b']);
  expect(await failureOf(operating('Sort', { column_name: 'x' }, '[{"x":1},{"x":"a"}]'))).toContain(
    'not supported between instances of',
  );
});

test('takes rows from either end', async () => {
  expect(await names('Head', { num_rows: 2 })).toEqual(['Ann', 'Bob']);
  expect(await names('Tail', { num_rows: 1 })).toEqual(['Cid']);
  expect(await names('Head', { num_rows: 0 })).toEqual([]);
  expect(await names('Tail', { num_rows: 0 })).toEqual([]);
  expect(await names('Tail', { num_rows: -1 })).toEqual(['Bob', 'Cid']);
});

test('changes columns', async () => {
  const one = '[{"a":1,"b":"x"}]';
  expect(await operating('Add Column', { new_column_name: 'c', new_column_value: 'CZ' }, one)).toEqual([
    { a: 1, b: 'x', c: 'CZ' },
  ]);
  expect(await operating('Drop Column', { column_name: 'a' }, one)).toEqual([{ b: 'x' }]);
  expect(await operating('Rename Column', { column_name: 'a', new_column_name: 'z' }, one)).toEqual([
    { z: 1, b: 'x' },
  ]);
  expect(await operating('Select Columns', { columns_to_select: ['b', ' a '] }, one)).toEqual([
    { b: 'x', a: 1 },
  ]);
  const replacing = { column_name: 'b', replace_value: 'x', replacement_value: 'y' };
  expect(await operating('Replace Value', replacing, one)).toEqual([{ a: 1, b: 'y' }]);
});

test('drops rows with a duplicate cell, or with all cells duplicate', async () => {
  expect(await names('Drop Duplicates', { column_name: 'city' })).toEqual(['Ann', 'Bob']);
  const rows = '[{"name":"a","n":1},{"name":"a","n":1.0},{"name":"a","n":"1"}]';
  expect(await names('Drop Duplicates', {}, rows)).toEqual(['a', 'a']);
});

test('without an operation returns the table unchanged', async () => {
  expect(await names('', {})).toEqual(['Ann', 'Bob', 'Cid']);
});

test.each<[string, Values, string]>([
  ['Filter', { column_name: 'nope' }, "\n\n'nope'"],
  ['Sort', { column_name: 'nope' }, "\n\n'nope'"],
  ['Replace Value', { column_name: 'nope' }, "\n\n'nope'"],
  ['Drop Column', { column_name: 'nope' }, `\n\n"['nope'] not found in axis"`],
  ['Select Columns', { columns_to_select: ['name', 'nope'] }, `\n\n"['nope'] not in index"`],
  [
    'Select Columns',
    { columns_to_select: ['nope'] },
    `\n\n"None of [Index(['nope'], dtype='object')] are in the [columns]"`,
  ],
  ['Drop Duplicates', { column_name: 'nope' }, "\n\nIndex(['nope'], dtype='object')"],
  [
    'Filter',
    { column_name: 'name', filter_operator: 'contains', filter_value: '(' },
    'Invalid regex pattern:',
  ],
  ['Nothing', {}, 'Unsupported operation: Nothing'],
])('%s of %j reports what is missing', async (name, values, message) => {
  expect(await failureOf(operating(name, values))).toContain(message);
});

const merging = async (values: Values): Promise<unknown> => {
  const document = flow(
    [
      node('JSONtoData-a', 'JSONtoData', { json_string: '[{"id":1,"a":"x","b":"old"},{"id":2,"a":"y"}]' }),
      node('JSONtoData-b', 'JSONtoData', {
        json_string: '[{"id":3,"b":"r"},{"id":2.0,"b":"q"},{"id":2,"b":"p"}]',
      }),
      node('DataToDataFrame-c', 'DataToDataFrame'),
      node('DataToDataFrame-d', 'DataToDataFrame'),
      node('Table-e', 'DataFrameOperations', {
        operation: [{ name: 'Merge' }],
        merge_on_column: 'id',
        ...values,
      }),
    ],
    [
      edge('JSONtoData-a', 'data', 'DataToDataFrame-c', 'data_list'),
      edge('JSONtoData-b', 'data', 'DataToDataFrame-d', 'data_list'),
      edge('DataToDataFrame-c', 'dataframe', 'Table-e', 'left_dataframe'),
      edge('DataToDataFrame-d', 'dataframe', 'Table-e', 'right_dataframe'),
    ],
  );
  const { result } = await runFlow(document, { show: 'Table-e' });
  return JSON.parse(JSON.stringify(result?.outputs['output']?.message)) as unknown;
};
const [first, second, third, fourth] = [
  { id: 1, a: 'x', b: 'old' },
  { id: 2, a: 'y', b: 'q' },
  { id: 2, a: 'y', b: 'p' },
  { id: 3, a: null, b: 'r' },
];

test.each([
  ['inner', [second, third]],
  ['left', [first, second, third]],
  ['right', [fourth, second, third]],
  ['outer', [first, second, third, fourth]],
])('merges tables, %s', async (merge_how, expected) => {
  expect(await merging({ merge_how })).toEqual(expected);
});

test('merges on a column that both have', async () => {
  expect(await failureOf(merging({ merge_on_column: 'zzz' }))).toContain(
    "Column 'zzz' not found in left DataFrame. Available: ['id', 'a', 'b']",
  );
  expect(await failureOf(merging({ merge_on_column: 'a' }))).toContain(
    "Column 'a' not found in right DataFrame. Available: ['id', 'b']",
  );
});

test('concatenates all connected tables', async () => {
  const document = flow(
    [
      node('CreateList-a', 'CreateList', { texts: ['one', 'two'] }),
      node('CreateList-b', 'CreateList', { texts: ['three'] }),
      node('Table-c', 'DataFrameOperations', { operation: [{ name: 'Concatenate' }] }),
    ],
    [edge('CreateList-a', 'dataframe', 'Table-c', 'df'), edge('CreateList-b', 'dataframe', 'Table-c', 'df')],
  );
  const { result } = await runFlow(document, { show: 'Table-c' });
  expect(result?.outputs['output']?.message).toEqual([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
});

test('takes linear time for many columns', () => {
  const columns = Array.from({ length: 50_000 }, (_, index) => `c${index}`);
  const table = new DataFrame([{}], columns);
  expect(() => checkSelection(table, columns)).not.toThrow();
  expect(mergeTables(table, table, { column: 'c0', how: 'right' }).columns).toEqual(columns);
});

test('Merge has a limit of cells', () => {
  const rows = (count: number, others: readonly string[]): DataFrame =>
    new DataFrame(
      Array.from({ length: count }, () => ({ k: 1 })),
      ['k', ...others],
    );
  const wide = Array.from({ length: 50 }, (_, index) => `c${index}`);
  expect(() => mergeTables(rows(300, wide), rows(300, []), { column: 'k', how: 'inner' })).toThrow(
    'A table of 51 columns and 90000 rows has more than 4000000 cells.',
  );
});
