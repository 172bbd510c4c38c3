import { randomUUID } from 'node:crypto';
import { Data, DataFrame } from '@millrace/python-text';
import { given, giving, openAuthorSuite } from './testing/author-suite.fixture';
import type { FlowRunOptions, TestVertex } from './testing/python-flow.fixture';

const { author, valueAt } = openAuthorSuite();

const records = [
  new Data({ name: 'a', n: 1, text: 'long text' }),
  new Data({ name: 'b', n: 2, text: 'short' }),
  new Data({ name: 'c', n: 3, text: 'middle' }),
];
const table = new DataFrame([
  { city: 'R', count: 1 },
  { city: 'O', count: 5 },
  { city: 'R', count: 2 },
]);
const fromGiven = 'Given-1.value';
const textInput = (text: string): TestVertex => ({ id: 'TextInput-1', fields: { input_value: text } });

interface Case {
  readonly output: string;
  readonly vertices: () => readonly TestVertex[];
  readonly options?: FlowRunOptions;
  readonly value: unknown;
}

const cases: Readonly<Record<string, Case>> = {
  'build with typed arguments': {
    output: 'OldRepeat-1.text',
    vertices: () => [author('old_repeat', { fields: { text: 'ab', times: 3 } })],
    value: 'ab ab ab',
  },
  'build of a list of records': {
    output: 'OldRecords-1.json',
    vertices: () => [author('old_records', { fields: { lines: 'x;y' } })],
    value: [{ data: { text: 'x', position: 0 } }, { data: { text: 'y', position: 1 } }],
  },
  'build with optional and further arguments': {
    output: 'OldAnyArguments-1.dict',
    vertices: () => [author('old_any_arguments', { fields: { first: 'x', flag: true, more: 'z' } })],
    value: { first: 'x', second: null, flag: true, others: ['more'] },
  },
  "the editor's template of a component": {
    output: 'CustomComponent-1.output',
    vertices: () => [author('template_component')],
    value: { data: { value: 'Hello, World!' } },
  },
  'helpers outside of the class': {
    output: 'CleanText-1.cleaned',
    vertices: () => [
      textInput(' Caffè   LATTE '),
      author('clean_text', { from: { text: 'TextInput-1.text' } }),
    ],
    value: { text: 'caffe latte' },
  },
  'a list of Data filtered by an operator': {
    output: 'FilterRecords-1.found',
    vertices: () => [
      given,
      author('filter_records', {
        from: { records: [fromGiven] },
        fields: { key: 'text', operator: 'contains', wanted: 'dd' },
      }),
    ],
    options: giving(records),
    value: [{ data: { name: 'c', n: 3, text: 'middle' } }],
  },
  'a table grouped by pandas, with a date and empty cells': {
    output: 'GroupTable-1.groups',
    vertices: () => [given, author('group_table', { from: { table: fromGiven } })],
    options: giving(table),
    value: {
      rows: [
        { city: 'O', sum: 5, mean: 5, max: 5, seen: '2026-03-01T00:00:00', note: null },
        { city: 'R', sum: 3, mean: 1.5, max: 2, seen: '2026-03-01T00:00:00', note: null },
      ],
    },
  },
  'a DataFrame of pandas itself': {
    output: 'RawPandas-1.table',
    vertices: () => [given, author('raw_pandas', { from: { rows: [fromGiven] } })],
    options: giving(records),
    value: {
      rows: [
        { name: 'b', n: 2, text: 'short' },
        { name: 'c', n: 3, text: 'middle' },
      ],
    },
  },
  'numbers and arrays of numpy': {
    output: 'RawPandas-1.vector',
    vertices: () => [given, author('raw_pandas', { from: { rows: [fromGiven] } })],
    options: giving(records),
    value: { mean: 2, largest: 3, all: [2, 4, 6], many: [false, true, true] },
  },
  'values that JSON does not have': {
    output: 'OddValues-1.data',
    vertices: () => [author('odd_values')],
    value: {
      data: expect.objectContaining({
        date: '2026-01-02',
        moment: '2026-01-02T03:04:05+00:00',
        price: '1.50',
        id: '00000000-0000-0000-0000-000000000001',
        color: 'red',
        pair: [1, 2],
        set: [3],
        bytes: 'abc',
        large: 2n ** 70n,
        '1': 'a number as key',
        span: '0:02:00',
        path: 'folder/file.txt',
        error: 'wrong',
      }) as unknown,
    },
  },
  "the classes' names of Langflow 1.13": {
    output: 'JsonOutput-1.json',
    vertices: () => [given, author('json_output', { from: { value: fromGiven } })],
    options: giving(new Data({ a: 1 })),
    value: { data: { inner: { a: 1 }, type: 'JSON' } },
  },
  'every kind of setting with its default': {
    output: 'AllSettings-1.settings',
    vertices: () => [author('all_settings')],
    value: {
      data: {
        count: 3,
        ratio: 0.5,
        slider: 1,
        flag: false,
        words: [],
        choice: 'a',
        several: ['x'],
        tab: 'one',
        headers: {},
        nested: {},
        query: 'select',
        table: [{ key: 'a', size: 1 }],
      },
    },
  },
  'every kind of setting with a tweak': {
    output: 'AllSettings-1.settings',
    vertices: () => [author('all_settings')],
    options: {
      tweaks: {
        'AllSettings-1': {
          count: '7',
          ratio: 2,
          flag: true,
          words: ['p', 'q'],
          choice: 'other',
          several: ['x', 'z'],
          tab: 'two',
          headers: { h: '1' },
          nested: { a: { b: [1] } },
          table: [{ key: 'k', size: 2 }],
        },
      },
    },
    value: {
      data: {
        count: 7,
        ratio: 2,
        slider: 1,
        flag: true,
        words: ['p', 'q'],
        choice: 'other',
        several: ['x', 'z'],
        tab: 'two',
        headers: { h: '1' },
        nested: { a: { b: [1] } },
        query: 'select',
        table: [{ key: 'k', size: 2 }],
      },
    },
  },
  'variables by name': {
    output: 'VariableReader-1.values',
    vertices: () => [author('variable_reader')],
    options: { variables: { FIRST: 'one' } },
    value: { data: { found: 'one', absent: 'ABSENT variable not found.' } },
  },
  'a prompt with fields of the node': {
    output: 'Prompt Template-1.prompt',
    vertices: () => [
      textInput('Ann'),
      author('prompt_maker', {
        fields: { template: { type: 'prompt', value: 'Hi {who}, {what}' }, what: 'welcome' },
        from: { who: 'TextInput-1.text' },
      }),
    ],
    value: { text: 'Hi Ann, welcome' },
  },
  'a text where a message is declared': {
    output: 'TextForMessage-1.message',
    vertices: () => [author('text_for_message')],
    value: 'plain',
  },
  'a dict where a Data is declared': {
    output: 'TextForMessage-1.data',
    vertices: () => [author('text_for_message')],
    value: { kind: 'text', nested: { list: [1, 2, null] } },
  },
  'a method without annotations': {
    output: 'TypedOutput-1.all',
    vertices: () => [author('typed_output', { fields: { text: ['p', 'q'] } })],
    value: { data: { texts: ['p', 'q'] } },
  },
  'documents for another component': {
    output: 'DocumentReader-1.text',
    vertices: () => [
      author('documents'),
      author('document_reader', { from: { documents: ['Documents-1.documents'] } }),
    ],
    value: { text: '1=first 2=second' },
  },
  'a generator for another component': {
    output: 'GeneratorUser-1.table',
    vertices: () => [
      author('generator_output'),
      author('generator_user', { from: { rows: 'GeneratorOutput-1.rows' } }),
    ],
    value: { rows: [{ n: 0 }, { n: 1 }, { n: 2 }] },
  },
  'a type that is no class of the text': {
    output: 'Checker-1.checked',
    vertices: () => [author('wrong_class_name')],
    value: { data: { even: [0, 2, 4] } },
  },
  'a package that can be absent': {
    output: 'OptionalPackage-1.parsed',
    vertices: () => [author('optional_package', { fields: { text: '[{"a":1}]' } })],
    value: [{ data: { a: 1, fast: false } }],
  },
  'a file of its own': {
    output: 'ScratchFile-1.summary',
    vertices: () => [given, author('scratch_file', { from: { table: fromGiven } })],
    options: giving(new DataFrame([{ a: 1, b: 'x' }])),
    value: { data: { rows: [{ a: '1', b: 'x' }], bytes: 8, name: 'rows.csv' } },
  },
  'an output that only the node has': {
    output: 'DynamicOutputs-1.table',
    vertices: () => [
      author('dynamic_outputs', {
        fields: { form: 'Table', text: 'x' },
        outputs: [
          { name: 'table', display_name: 'Table', method: 'as_table', types: ['Table'], cache: true },
        ],
      }),
    ],
    value: { rows: [{ text: 'x', form: 'Table' }] },
  },
  'the base class of text splitters': {
    output: 'OwnSplitter-1.data',
    vertices: () => [given, author('text_splitter', { from: { data_input: fromGiven } })],
    options: giving(new Data({ text: 'aaaaaaaa|bbbbbbb|cc', page: 1 })),
    value: [{ data: { page: 1, text: 'aaaaaaaa' } }, { data: { page: 1, text: 'bbbbbbb|cc' } }],
  },
  'the base class of document transformers': {
    output: 'NumberDocuments-1.data',
    vertices: () => [given, author('document_transformer', { from: { documents: [fromGiven] } })],
    options: giving(records.slice(0, 1)),
    value: [{ data: { name: 'a', n: 1, number: 1, text: 'long text' } }],
  },
  'the base class of compressors': {
    output: 'ShortestFirst-1.table',
    vertices: () => [
      given,
      author('compressor', { from: { search_results: [fromGiven] }, fields: { top_n: 1 } }),
    ],
    options: giving(records),
    value: { rows: [{ name: 'b', n: 2, text: 'short' }] },
  },
  'the base class of chat memories before 1.0': {
    output: 'OldMemory-1.text',
    vertices: () => [author('old_memory', { fields: { n_messages: 2 } })],
    value: 'page 3 of session-1\npage 2 of session-1',
  },
  'the base class of components with a cache': {
    output: 'CachedTotal-2.total',
    vertices: () => {
      const fields = { key: randomUUID(), amount: 2 };
      const reading = { fields, from: { after: 'CachedTotal-1.total' } };
      return [author('cached_total', { fields }), author('cached_total', { number: 2, ...reading })];
    },
    value: { data: { total: 4, was_known: true } },
  },
  'the base class of crews': {
    output: 'OwnCrew-1.output',
    vertices: () => [author('own_crew', { fields: { steps: ['plan', 'write'] } })],
    value: { text: 'plan and write' },
  },
  'components of lfx inside of a component': {
    output: 'StockUser-1.greeting',
    vertices: () => [author('stock_user', { fields: { person: 'Ann' } })],
    value: { text: 'Dear Ann' },
  },
  'a stock component with one method changed': {
    output: 'TextInput-1.text',
    vertices: () => [author('subclass_of_stock', { fields: { input_value: 'hi' } })],
    value: { text: 'HI' },
  },
  'coroutines, a thread pool and a thread': {
    output: 'ManyAtOnce-1.squares',
    vertices: () => [author('many_at_once')],
    value: { data: { squares: [0, 1, 4, 9], pooled: [1, 2, 3, 4], seen: ['Many'], sum: 10 } },
  },
};
test.each(Object.entries(cases))('%s', async (_title, { output, vertices, options, value }) => {
  expect(await valueAt(output, vertices(), options)).toEqual(value);
});
