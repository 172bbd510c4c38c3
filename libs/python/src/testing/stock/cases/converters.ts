import { casesOf, data, failsDifferently, message, table } from '../component-case';

const inputs = {
  'a message': message('hi'),
  'a message with JSON': message('{"a": 1, "b": [2.0]}'),
  'a message with an array': message('[{"a": 1}, {"a": 2}]'),
  'a message with CSV': message('a,b\n1,x\n2.5,y'),
  'an empty message': message(''),
  'a value': data({ text: 'x', n: 1 }),
  'a value without text': data({ n: 1.5, l: [1, 'a'], d: { k: null } }),
  'an empty value': data({}),
  'a table': table({ a: 1, b: 'x' }, { a: 2, b: 'y' }),
  'a table of one row': table({ text: 'only', n: 2.5 }),
  'an empty table': table(),
};

/** Every input as every type. */
export const typeConverter = casesOf(
  'TypeConverterComponent',
  (['Message', 'JSON', 'Table'] as const).flatMap((type) =>
    Object.entries(inputs).flatMap(([name, value]) =>
      [false, true].map(
        (parse) =>
          [
            `${name} as ${type}${parse ? ', parsed' : ''}`,
            { output_type: type, auto_parse: parse },
            { input_data: value },
          ] as const,
      ),
    ),
  ),
);

const notObjects = (kind: string) =>
  failsDifferently(
    'JSONtoData',
    `The JSON must hold objects, got <class '${kind}'>`,
    "An error occurred: argument of type 'int' is not iterable",
    'The text of lfx is that of a Python error.',
  );

export const jsonToData = casesOf('JSONtoData', [
  ['an object', { json_string: '{"a": 1, "b": [1.0, null]}' }],
  ['an array', { json_string: '[{"a": 1}, {"b": 2}]' }],
  ['a broken object', { json_string: "{'a': 1,}" }],
  ['an array of numbers', { json_string: '[1, 2]' }, {}, notObjects('int')],
  ['a scalar', { json_string: '3' }, {}, notObjects('int')],
  ['an empty text', { json_string: '' }],
  ['no JSON', { json_string: 'nothing' }],
  ['a message', {}, { json_string: message('{"x": true}') }],
  ['large numbers', { json_string: '{"big": 12345678901234567890, "small": 1e-7}' }],
]);

export const csvToData = casesOf('CSVtoData', [
  ['rows', { csv_string: 'a,b\n1,x\n2,y' }],
  ['quotes', { csv_string: 'a,b\n"x,1","say ""hi"""' }],
  ['missing cells', { csv_string: 'a,b\n1\n1,2,3' }],
  ['only a header', { csv_string: 'a,b' }],
  ['an empty text', { csv_string: '' }],
  ['windows newlines', { csv_string: 'a,b\r\n1,2\r\n' }],
  ['newline inside quotes', { csv_string: 'a,b\n"x\ny",2' }],
  ['another text key', { csv_string: 'a,b\n1,2', text_key: 'a' }],
]);
