import type { PythonObject } from '@millrace/python-text';
import { casesOf, data, several, table } from '../component-case';
import type { CaseRow } from '../component-case';

const people = table(
  { name: 'Ann', age: 30, city: 'Rome' },
  { name: 'Bob', age: 25, city: 'Oslo' },
  { name: 'Cid', age: 30, city: 'Rome' },
);
const mixed = table({ a: 1, b: 'x' }, { a: 2.5, b: null }, { a: 3, b: 'x' });
const operation = (name: string): PythonObject => ({ operation: [{ name }] });
const on = { df: several(people) };

const rows: readonly CaseRow[] = [
  ['adds a column', { ...operation('Add Column'), new_column_name: 'k', new_column_value: 'v' }, on],
  [
    'adds a column of numbers',
    { ...operation('Add Column'), new_column_name: 'k', new_column_value: '1' },
    on,
  ],
  ['drops a column', { ...operation('Drop Column'), column_name: 'age' }, on],
  ['drops a missing column', { ...operation('Drop Column'), column_name: 'none' }, on],
  [
    'filters by equality',
    { ...operation('Filter'), column_name: 'city', filter_value: 'Rome', filter_operator: 'equals' },
    on,
  ],
  [
    'filters numbers by equality',
    { ...operation('Filter'), column_name: 'age', filter_value: '30', filter_operator: 'equals' },
    on,
  ],
  [
    'filters by inequality',
    { ...operation('Filter'), column_name: 'age', filter_value: '30', filter_operator: 'not equals' },
    on,
  ],
  [
    'filters by a part',
    { ...operation('Filter'), column_name: 'city', filter_value: 'o', filter_operator: 'contains' },
    on,
  ],
  [
    'filters by the absence of a part',
    { ...operation('Filter'), column_name: 'city', filter_value: 'o', filter_operator: 'not contains' },
    on,
  ],
  [
    'filters by a beginning',
    { ...operation('Filter'), column_name: 'name', filter_value: 'B', filter_operator: 'starts with' },
    on,
  ],
  [
    'filters by an end',
    { ...operation('Filter'), column_name: 'name', filter_value: 'd', filter_operator: 'ends with' },
    on,
  ],
  [
    'filters greater numbers',
    { ...operation('Filter'), column_name: 'age', filter_value: '26', filter_operator: 'greater than' },
    on,
  ],
  [
    'filters lesser numbers',
    { ...operation('Filter'), column_name: 'age', filter_value: '26', filter_operator: 'less than' },
    on,
  ],
  [
    'filters greater texts',
    { ...operation('Filter'), column_name: 'name', filter_value: 'Anz', filter_operator: 'greater than' },
    on,
  ],
  [
    'filters a missing column',
    { ...operation('Filter'), column_name: 'none', filter_value: '1', filter_operator: 'equals' },
    on,
  ],
  [
    'filters without a match',
    { ...operation('Filter'), column_name: 'city', filter_value: 'none', filter_operator: 'equals' },
    on,
  ],
  ['head', { ...operation('Head'), num_rows: 2 }, on],
  ['head of none', { ...operation('Head'), num_rows: 0 }, on],
  ['head with a negative number', { ...operation('Head'), num_rows: -1 }, on],
  ['tail', { ...operation('Tail'), num_rows: 2 }, on],
  ['tail of more rows', { ...operation('Tail'), num_rows: 9 }, on],
  ['renames a column', { ...operation('Rename Column'), column_name: 'name', new_column_name: 'who' }, on],
  [
    'renames a missing column',
    { ...operation('Rename Column'), column_name: 'none', new_column_name: 'who' },
    on,
  ],
  [
    'replaces a value',
    { ...operation('Replace Value'), column_name: 'city', replace_value: 'Rome', replacement_value: 'Roma' },
    on,
  ],
  [
    'replaces a number',
    { ...operation('Replace Value'), column_name: 'age', replace_value: '30', replacement_value: '31' },
    on,
  ],
  ['selects columns', { ...operation('Select Columns'), columns_to_select: ['city', 'name'] }, on],
  ['selects a missing column', { ...operation('Select Columns'), columns_to_select: ['none'] }, on],
  ['sorts', { ...operation('Sort'), column_name: 'age', ascending: true }, on],
  ['sorts in descending order', { ...operation('Sort'), column_name: 'name', ascending: false }, on],
  ['sorts a missing column', { ...operation('Sort'), column_name: 'none' }, on],
  ['drops duplicates', { ...operation('Drop Duplicates'), column_name: 'city' }, on],
  ['drops duplicates of a missing column', { ...operation('Drop Duplicates'), column_name: 'none' }, on],
  ['a column with an empty cell', { ...operation('Sort'), column_name: 'b' }, { df: several(mixed) }],
  [
    'a column of floats',
    { ...operation('Filter'), column_name: 'a', filter_value: '2.5', filter_operator: 'equals' },
    { df: several(mixed) },
  ],
  [
    'an empty cell and a part',
    { ...operation('Filter'), column_name: 'b', filter_value: 'x', filter_operator: 'contains' },
    { df: several(mixed) },
  ],
  ['no operation', {}, on],
  ['concatenates', operation('Concatenate'), { df: several(people, mixed) }],
  ['concatenates equal columns', operation('Concatenate'), { df: several(people, people) }],
  ['concatenates one table', operation('Concatenate'), on],
  [
    'merges',
    { ...operation('Merge'), merge_on_column: 'name', merge_how: 'inner' },
    {
      left_dataframe: people,
      right_dataframe: table({ name: 'Ann', pet: 'cat' }, { name: 'Dan', pet: 'dog' }),
    },
  ],
  [
    'merges outer',
    { ...operation('Merge'), merge_on_column: 'name', merge_how: 'outer' },
    {
      left_dataframe: people,
      right_dataframe: table({ name: 'Ann', pet: 'cat' }, { name: 'Dan', pet: 'dog' }),
    },
  ],
  [
    'merges left',
    { ...operation('Merge'), merge_on_column: 'name', merge_how: 'left' },
    { left_dataframe: people, right_dataframe: table({ name: 'Ann', age: 1 }, { name: 'Dan', age: 2 }) },
  ],
  [
    'merges right',
    { ...operation('Merge'), merge_on_column: 'name', merge_how: 'right' },
    { left_dataframe: people, right_dataframe: table({ name: 'Ann', age: 1 }, { name: 'Dan', age: 2 }) },
  ],
  [
    'merges a missing column',
    { ...operation('Merge'), merge_on_column: 'none' },
    { left_dataframe: people, right_dataframe: people },
  ],
];

export const dataFrameOperations = casesOf('DataFrameOperations', rows);

export const parseDataFrame = casesOf('ParseDataFrame', [
  ['a template', { template: '{name} is {age}' }, { df: people }],
  ['the default template', {}, { df: table({ text: 'a' }, { text: 'b' }) }],
  ['a separator', { template: '{name}', sep: ', ' }, { df: people }],
  ['an escaped separator', { template: '{name}', sep: '\\n' }, { df: people }],
  ['empty settings', { template: '', sep: '' }, { df: table({ text: 'a' }, { text: 'b' }) }],
  ['floats and empty cells', { template: '{a}:{b}' }, { df: mixed }],
  ['a missing column', { template: '{none}' }, { df: people }],
  ['an empty table', { template: '{a}' }, { df: table() }],
  ['a format', { template: '{age:>5}' }, { df: people }],
]);

export const parser = casesOf('ParserComponent', [
  ['a value', { pattern: '{name}: {age}' }, { input_data: data({ name: 'Ann', age: 1.0 }) }],
  ['a table', { pattern: '{name}, {age}', sep: '; ' }, { input_data: people }],
  ['a list of values', { pattern: '{name}' }, { input_data: [data({ name: 'a' }), data({ name: 'b' })] }],
  ['a missing name', { pattern: '{none}' }, { input_data: data({ name: 'a' }) }],
  ['braces', { pattern: '{{x}} {name}' }, { input_data: data({ name: 'a' }) }],
  ['an unclosed brace', { pattern: '{name' }, { input_data: data({ name: 'a' }) }],
  ['an escaped newline', { pattern: '{name}\\n', sep: '\\n' }, { input_data: people }],
  ['text of a value', { mode: 'Stringify' }, { input_data: data({ text: 'x', n: 1 }) }],
  ['text of a table', { mode: 'Stringify' }, { input_data: people }],
  [
    'text of a table that is cleaned',
    { mode: 'Stringify', clean_data: true },
    { input_data: table({ a: 'x\n\ny', b: '' }) },
  ],
  ['text of a list', { mode: 'Stringify' }, { input_data: [data({ a: 1 }), data({ text: 'b' })] }],
  ['text of floats', { mode: 'Stringify' }, { input_data: mixed }],
  [
    'lists and dicts',
    { pattern: '{l} {d} {n} {t}' },
    { input_data: data({ l: [1, 'a'], d: { k: null }, n: null, t: true }) },
  ],
  ['an empty table', { pattern: '{a}' }, { input_data: table() }],
]);

export const parseData = casesOf('ParseData', [
  ['one value', { template: '{name}' }, { data: several(data({ name: 'a' })) }],
  [
    'two values',
    { template: '{name}', sep: ', ' },
    { data: several(data({ name: 'a' }), data({ name: 'b' })) },
  ],
  ['the default template', {}, { data: several(data({ text: 'x' })) }],
  ['a missing name', { template: '{none}' }, { data: several(data({ name: 'a' })) }],
  ['nested data', { template: '{data}' }, { data: several(data({ data: { x: 1 } })) }],
  ['an empty list', { template: '{a}' }, { data: [] }],
  ['a value of numbers', { template: '{n}/{f}' }, { data: several(data({ n: 1, f: 2.5 })) }],
]);
