import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';

type Values = Readonly<Record<string, unknown>>;

const rows = async (source: unknown, output: string, values: Values, input?: string): Promise<unknown> => {
  const [target, ...others] = [edge('Source-a', output, 'SplitText-b', 'data_inputs')];
  const document = flow([source, node('SplitText-b', 'SplitText', values)], [target, ...others]);
  const tweaks = input === undefined ? {} : { 'Source-a': { input_value: input } };
  const { result } = await runFlow(document, { tweaks, show: 'SplitText-b' });
  return result?.outputs['dataframe']?.message;
};
const text = node('Source-a', 'TextInput');
const sizes = { chunk_size: 10, chunk_overlap: 0 };

test.each<[string, Values, readonly string[]]>([
  ['one\ntwo\nthree four five', {}, ['one\ntwo', 'three four five']],
  ['aa\nbb\ncc\ndd', { chunk_size: 6, chunk_overlap: 3 }, ['aa\nbb', 'bb\ncc', 'cc\ndd']],
  ['aaaa\nbbbb', { chunk_size: 4, separator: '/n' }, ['aaaa', 'bbbb']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: 'End' }, ['a.', 'b']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: 'True' }, ['a', '.b']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: 'end' }, ['a.', 'b']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: 'START' }, ['a', '.b']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: 'other' }, ['a', '.b']],
  ['a.b', { chunk_size: 2, separator: '.', keep_separator: '' }, ['a', 'b']],
])('%j with %j', async (input, values, expected) => {
  expect(await rows(text, 'text', { ...sizes, clean_output: true, ...values }, input)).toEqual(
    expected.map((chunk) => ({ text: chunk })),
  );
});

test('keeps the other fields of a text, content first and system columns last', async () => {
  const source = node('Source-a', 'JSONtoData', {
    json_string: '[{"_id":1,"page":2,"body":"aaa|bbb"},{"page":3,"body":"c"}]',
  });
  const values = { chunk_size: 3, chunk_overlap: 0, separator: '|', text_key: 'body' };
  const result = await rows(source, 'data', values);
  expect(JSON.stringify(result)).toBe(
    JSON.stringify([
      { text: 'aaa', page: 2, _id: 1 },
      { text: 'bbb', page: 2, _id: 1 },
      { text: 'c', page: 3, _id: null },
    ]),
  );
});

test('splits the rows of a table', async () => {
  const source = node('Source-a', 'CreateList', { texts: ['a\nb', 'c'] });
  expect(await rows(source, 'dataframe', { chunk_size: 1, chunk_overlap: 0 })).toEqual([
    { text: 'a' },
    { text: 'b' },
    { text: 'c' },
  ]);
});

test('the chunks of earlier versions are data', async () => {
  const document = flow(
    [
      node('Source-a', 'CreateList', { texts: ['a\nb'] }),
      node('SplitText-b', 'SplitText', { chunk_size: 1, chunk_overlap: 0 }),
      node('SelectData-c', 'SelectData', { data_index: 1 }),
    ],
    [
      edge('Source-a', 'list', 'SplitText-b', 'data_inputs'),
      edge('SplitText-b', 'chunks', 'SelectData-c', 'data_list'),
    ],
  );
  expect((await runFlow(document, { show: 'SelectData-c' })).text).toEqual({ text: 'b' });
});

test.each<[unknown, string, Values, string]>([
  [
    node('Source-a', 'CreateList', { texts: [] }),
    'list',
    {},
    'Error running method "split_text": No data inputs provided',
  ],
  [node('Source-a', 'CreateList', { texts: [] }), 'dataframe', {}, 'DataFrame is empty'],
  [
    node('Source-a', 'CreateList', { texts: ['x'] }),
    'dataframe',
    { text_key: 'nope' },
    "Text key 'nope' not found in Table columns",
  ],
  [
    node('Source-a', 'CreateList', { texts: ['x'] }),
    'list',
    { chunk_size: 100 },
    'Error running method "split_text": Error splitting text: Got a larger chunk overlap (200) than chunk size (100), should be smaller.',
  ],
])('%#: rejects other inputs', async (source, output, values, message) => {
  expect(await failureOf(rows(source, output, values))).toContain(message);
});
