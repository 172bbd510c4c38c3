import { casesOf, data, failsDifferently, message, several } from '../component-case';

const person = data({ name: 'Ann', age: 30, tags: ['x', 'y'], address: { city: 'Rome', zip: '1' } });
const other = data({ name: 'Bob', age: 2.5, extra: null });

export const alterMetadata = casesOf('AlterMetadata', [
  [
    'adds to a message',
    { metadata: { lang: 'en' } },
    { input_value: several(message('hi')) },
    {
      difference: {
        at: 'outputs.data.0.type',
        native: '$data',
        python: '$message',
        reason: 'lfx changes the message in place, for every other vertex that has it.',
      },
    },
  ],
  ['adds to a value', { metadata: { lang: 'en', n: 1 } }, { input_value: several(person) }],
  ['adds to several', { metadata: { k: true } }, { input_value: several(person, other) }],
  ['a text', { text_in: 'hello', metadata: { k: 'v' } }],
  ['a text and a value', { text_in: 'hello', metadata: { k: 'v' } }, { input_value: several(person) }],
  ['removes a field', { remove_fields: ['age'] }, { input_value: several(person) }],
  ['removes a missing field', { remove_fields: ['none'] }, { input_value: several(person) }],
  [
    'adds and removes',
    { metadata: { a: 1 }, remove_fields: ['name', 'a'] },
    { input_value: several(person) },
  ],
  ['nothing to change', {}, { input_value: several(person) }],
]);

export const createData = casesOf('CreateData', [
  ['one field', { number_of_fields: 1, field_1_key: { a: 'b' } }],
  ['two fields', { number_of_fields: 2, field_1_key: { a: 'b' }, field_2_key: { c: 'd' } }],
  ['a text key', { number_of_fields: 1, field_1_key: { body: 'b' }, text_key: 'body' }],
  ['a missing text key', { number_of_fields: 1, field_1_key: { a: 'b' }, text_key: 'body' }],
  [
    'a missing text key that is checked',
    { number_of_fields: 1, field_1_key: { a: 'b' }, text_key: 'body', text_key_validator: true },
  ],
  ['a value of a wire', { number_of_fields: 1 }, { field_1_key: data({ a: 1, b: [1] }) }],
]);

export const createList = casesOf('CreateList', [
  ['texts', { texts: ['a', 'b'] }],
  ['no texts', { texts: [] }],
  ['an empty text', { texts: ['', 'b'] }],
  ['an escaped newline', { texts: ['a\\nb'] }],
  ['other letters', { texts: ['ä', '日本'] }],
]);

const ownParser = 'A query is read by our own parser, whose texts differ (docs/use/compatibility.md).';
const operation = (name: string): { readonly name: string }[] => [{ name }];

export const dataOperations = casesOf('DataOperations', [
  [
    'selects keys',
    { operations: operation('Select Keys'), select_keys_input: ['name'] },
    { data: several(person) },
  ],
  [
    'selects several keys',
    { operations: operation('Select Keys'), select_keys_input: ['age', 'name'] },
    { data: several(person) },
  ],
  [
    'selects a missing key',
    { operations: operation('Select Keys'), select_keys_input: ['none'] },
    { data: several(person) },
  ],
  [
    'literal evaluation',
    { operations: operation('Literal Eval') },
    { data: several(data({ a: '[1, 2]', b: "{'c': None}", d: 'plain', e: '1.0' })) },
  ],
  ['combines', { operations: operation('Combine') }, { data: several(person, other) }],
  ['combines one', { operations: operation('Combine') }, { data: several(person) }],
  [
    'combines lists',
    { operations: operation('Combine') },
    { data: several(data({ a: [1], b: 'x' }), data({ a: [2], b: 'y' })) },
  ],
  [
    'filters values',
    {
      operations: operation('Filter Values'),
      filter_key: ['rows'],
      operator: 'equals',
      filter_values: { k: 'v' },
    },
    { data: several(data({ rows: [{ k: 'v' }, { k: 'w' }] })) },
  ],
  [
    'adds keys',
    { operations: operation('Append or Update'), append_update_data: { a: 'b', name: 'New' } },
    { data: several(person) },
  ],
  [
    'removes keys',
    { operations: operation('Remove Keys'), remove_keys_input: ['age', 'tags'] },
    { data: several(person) },
  ],
  [
    'removes a missing key',
    { operations: operation('Remove Keys'), remove_keys_input: ['none'] },
    { data: several(person) },
  ],
  [
    'renames keys',
    { operations: operation('Rename Keys'), rename_keys_input: { name: 'title' } },
    { data: several(person) },
  ],
  [
    'renames a missing key',
    { operations: operation('Rename Keys'), rename_keys_input: { none: 'x' } },
    { data: several(person) },
  ],
  [
    'a path',
    {
      operations: operation('Path Selection'),
      mapped_json_display: '{"address": {"city": "Rome"}}',
      selected_key: '.address.city',
    },
    { data: several(person) },
  ],
  [
    'a path in a list',
    { operations: operation('Path Selection'), selected_key: '.tags[0]' },
    { data: several(person) },
  ],
  [
    'a path that is missing',
    { operations: operation('Path Selection'), selected_key: '.none' },
    { data: several(person) },
  ],
  ['a query', { operations: operation('JQ Expression'), query: '.address' }, { data: several(person) }],
  [
    'a query of texts',
    { operations: operation('JQ Expression'), query: '.tags[]' },
    { data: several(person) },
  ],
  [
    'an invalid query',
    { operations: operation('JQ Expression'), query: '.[' },
    { data: several(person) },
    failsDifferently(
      'DataOperations',
      'JSON Query error: syntax error, unexpected end of the query',
      'JSON Query error: jq: error: syntax error, unexpected end of file at <top-level>, line 1, column 2:\n    .[\n     ^\njq: 1 compile error',
      ownParser,
    ),
  ],
  ['no operation', {}, { data: several(person) }],
]);

export const dataToDataFrame = casesOf('DataToDataFrame', [
  ['one value', {}, { data_list: several(person) }],
  ['two values', {}, { data_list: several(person, other) }],
  ['a list', {}, { data_list: [person, other] }],
  ['an empty list', {}, { data_list: [] }],
  ['a value with text', {}, { data_list: several(data({ text: 'a', n: 1 })) }],
  ['an empty value', {}, { data_list: several(data({})) }],
  ['a message', {}, { data_list: several(message('x')) }],
]);

export const extractKey = casesOf('ExtractaKey', [
  ['a text', { key: 'name' }, { data_input: person }],
  ['a number', { key: 'age' }, { data_input: person }],
  ['a list', { key: 'tags' }, { data_input: person }],
  ['a dict', { key: 'address' }, { data_input: person }],
  ['a missing key', { key: 'none' }, { data_input: person }],
  ['a list of values', { key: 'name' }, { data_input: [person, other] }],
  ['an empty list', { key: 'name' }, { data_input: [] }],
]);

export const filterData = casesOf('FilterData', [
  ['one key', { filter_criteria: ['name'] }, { data: person }],
  ['two keys', { filter_criteria: ['age', 'name'] }, { data: person }],
  ['a missing key', { filter_criteria: ['none'] }, { data: person }],
  ['no keys', { filter_criteria: [] }, { data: person }],
]);

const rows = [data({ route: 'CMIP', n: 1 }), data({ route: 'other', n: 2 }), data({ route: 'CMIP6' })];

export const filterDataValues = casesOf('FilterDataValues', [
  [
    'equals',
    { filter_key: 'route', filter_value: 'CMIP', operator: 'equals' },
    { input_data: several(...rows) },
    failsDifferently(
      'FilterDataValues',
      null,
      "'str' object has no attribute 'text'",
      'lfx expects a message where its own input gives a text, so it always fails.',
    ),
  ],
]);

export const mergeData = casesOf('MergeDataComponent', [
  ['concatenates', { operation: 'Concatenate' }, { data_inputs: several(person, other) }],
  ['appends', { operation: 'Append' }, { data_inputs: several(person, other) }],
  ['merges', { operation: 'Merge' }, { data_inputs: several(person, other) }],
  [
    'merges texts',
    { operation: 'Merge' },
    { data_inputs: several(data({ a: 'x' }), data({ a: 'y', b: 1 }), data({ a: 'z' })) },
  ],
  ['joins', { operation: 'Join' }, { data_inputs: several(person, other) }],
  [
    'concatenates texts',
    { operation: 'Concatenate' },
    { data_inputs: several(data({ a: 'x' }), data({ a: 'y', b: 1 })) },
  ],
  [
    'concatenates other values',
    { operation: 'Concatenate' },
    { data_inputs: several(data({ a: 1 }), data({ a: 2 })) },
  ],
  ['one value', { operation: 'Merge' }, { data_inputs: several(person) }],
  ['an empty list', { operation: 'Merge' }, { data_inputs: [] }],
]);

export const messageToData = casesOf('MessagetoData', [
  ['a message', {}, { message: message('hi') }],
  ['a message without a sender', {}, { message: message('', { sender: null, senderName: null }) }],
  [
    'files and an error',
    {},
    { message: message('x', { files: ['a/b.txt'], error: true, category: 'error' }) },
  ],
]);

export const selectData = casesOf('SelectData', [
  ['the first', { data_index: 0 }, { data_list: several(person, other) }],
  ['the second', { data_index: 1 }, { data_list: several(person, other) }],
  ['outside', { data_index: 2 }, { data_list: several(person, other) }],
  ['negative', { data_index: -1 }, { data_list: several(person, other) }],
]);

export const updateData = casesOf('UpdateData', [
  ['one field', { number_of_fields: 1, field_1_key: { name: 'New' } }, { old_data: person }],
  ['a new field', { number_of_fields: 1, field_1_key: { more: 'x' } }, { old_data: person }],
  ['a list', { number_of_fields: 1, field_1_key: { n: 'x' } }, { old_data: [person, other] }],
  ['no fields', { number_of_fields: 0 }, { old_data: person }],
  ['a text key', { number_of_fields: 1, field_1_key: { n: 'x' }, text_key: 'name' }, { old_data: person }],
  [
    'a missing text key',
    { number_of_fields: 1, field_1_key: { n: 'x' }, text_key: 'none', text_key_validator: true },
    { old_data: person },
  ],
]);

export const parseJsonData = casesOf('ParseJSONData', [
  ['a member', { query: '.a' }, { input_value: message('{"a": {"b": [1, 2.0, 2.5, -0.0]}}') }],
  ['a value', { query: '.name' }, { input_value: person }],
  ['several results', { query: '.tags[]' }, { input_value: person }],
  ['a broken text', { query: '.a' }, { input_value: message('{a: 1,}') }],
  ['a list of values', { query: '.name' }, { input_value: [person, other] }],
  ['a long key of a list', { query: '.["a key with many characters and more"]' }, { input_value: [person] }],
  ['a list where an object is expected', { query: 'map(keys)' }, { input_value: [person, other] }],
  ['items of a number', { query: '.age[]' }, { input_value: person }],
  [
    'an invalid query',
    { query: '.[' },
    { input_value: person },
    failsDifferently(
      'ParseJSONData',
      'syntax error, unexpected end of the query',
      'jq: error: syntax error, unexpected end of file at <top-level>, line 1, column 2:\n    .[\n     ^\njq: 1 compile error',
      ownParser,
    ),
  ],
  ['no result', { query: '.none' }, { input_value: person }],
  ['arithmetic', { query: '.age * 2 + 1' }, { input_value: person }],
]);
