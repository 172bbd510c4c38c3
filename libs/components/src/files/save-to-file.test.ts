import { readSheet } from '@millrace/documents';
import { toolNode } from '../testing/tool-node.fixture';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import {
  callTools,
  streamText,
  startModelServerUnderTest,
} from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';
import type { FilesUnderTest } from '../testing/run-files.fixture';

type Values = Readonly<Record<string, unknown>>;

const csv = 'name,n,f\nä/b,1,0.5\n"x,""y""",2,\n';

/** Sources of the content: a text, an object as data, or the table of a CSV file. */
const sources = {
  message: (text: string) => [node('TextInput-a', 'TextInput', { input_value: text }), 'text'] as const,
  data: (json: string) => [node('JSONtoData-a', 'JSONtoData', { json_string: json }), 'data'] as const,
  table: (text: string) => [node('File-a', 'File', { path: text }), 'dataframe'] as const,
};

const run = (
  [source, output]: readonly [unknown, string],
  values: Values,
  { resources }: FilesUnderTest,
  input = 'input',
): Promise<RunUnderTest> => {
  const { id } = source as { readonly id: string };
  const document = flow(
    [source, node('SaveToFile-b', 'SaveToFile', values), node('ChatOutput-z', 'ChatOutput')],
    [edge(id, output, 'SaveToFile-b', input), edge('SaveToFile-b', 'message', 'ChatOutput-z', 'input_value')],
  );
  return runFlow(document, { show: 'ChatOutput-z', resources });
};

const save = async (
  kind: keyof typeof sources,
  value: string,
  values: Values,
  stored: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: unknown; readonly files: FilesUnderTest }> => {
  const files = filesUnderTest({ 'flow/in.csv': csv, ...stored });
  const { text } = await run(sources[kind](value), { file_name: 'out', ...values }, files);
  return { text, files };
};

test.each([
  ['message', 'hello', 'txt', 'hello'],
  ['message', 'ä', 'json', '{\n  "message": "\\u00e4"\n}'],
  ['message', 'hello', 'markdown', '**Message:**\n\nhello'],
  ['message', '<p>hello</p>', 'html', '<p>hello</p>'],
  ['data', '{"a": "ä", "b": 1.0}', 'json', '{\n  "a": "ä",\n  "b": 1.0\n}'],
  ['data', '{"a": [1, 2], "b": "x"}', 'csv', 'a,b\n1,x\n2,x\n'],
  ['data', '{"a": 1}', 'markdown', '|   a |\n|----:|\n|   1 |'],
  ['table', 'flow/in.csv', 'csv', 'name,n,f\nä/b,1,0.5\n"x,""y""",2,\n'],
  [
    'table',
    'flow/in.csv',
    'json',
    '[\n  {\n    "name":"\\u00e4\\/b",\n    "n":1,\n    "f":0.5\n  },\n  {\n    "name":"x,\\"y\\"",\n    "n":2,\n    "f":null\n  }\n]',
  ],
] as const)('saves a %s (%j) as %s', async (kind, value, format, content) => {
  const { text, files } = await save(kind, value, { local_format: format });
  const type = { message: 'Message', data: 'Data', table: 'DataFrame' }[kind];
  expect(text).toBe(`${type} saved successfully as 'out.${format}' at user-1/out.${format}`);
  expect(files.textOf(`out.${format}`)).toBe(content);
});

test('saves a table as HTML and as a workbook', async () => {
  const html = await save('table', 'flow/in.csv', { local_format: 'html' });
  expect(html.files.textOf('out.html')).toContain(
    '      <td>x,"y"</td>\n      <td>2</td>\n      <td>NaN</td>',
  );
  const { text, files } = await save('table', 'flow/in.csv', { local_format: 'excel' });
  expect(text).toBe("DataFrame saved successfully as 'out.xlsx' at user-1/out.xlsx");
  expect(await readSheet(files.bytesOf('out.xlsx') ?? Buffer.alloc(0), new AbortController().signal)).toEqual(
    [
      ['name', 'n', 'f'],
      ['ä/b', 1, 0.5],
      ['x,"y"', 2, null],
    ],
  );
});

test('appends to an existing file', async () => {
  const append = async (kind: keyof typeof sources, value: string, format: string, before: string) => {
    const stored = { [`out.${format}`]: before };
    const { text, files } = await save(kind, value, { local_format: format, append_mode: true }, stored);
    expect(text).toContain(`appended to 'out.${format}' at user-1/out.${format}`);
    return files.textOf(`out.${format}`);
  };
  expect(await append('message', 'two', 'txt', 'one')).toBe('one\ntwo');
  expect(await append('message', 'two', 'json', '{"message": "one"}')).toBe(
    '[\n  {\n    "message": "one"\n  },\n  {\n    "message": "two"\n  }\n]',
  );
  expect(await append('message', 'two', 'json', 'no JSON')).toBe('[\n  {\n    "message": "two"\n  }\n]');
  expect(await append('data', '{"a": 2}', 'csv', 'a\n1\n')).toBe('a\n1\n2\n');
  expect(await append('data', '{"a": 2}', 'markdown', 'one')).toBe('one\n\n|   a |\n|----:|\n|   2 |');
});

test('creates a missing file, and replaces an existing one unless append is on', async () => {
  const grown = await save('message', 'one', { local_format: 'txt', append_mode: true });
  expect(grown.text).toContain('saved successfully as');
  const replaced = await save('message', 'two', { local_format: 'txt' }, { 'out.txt': 'one' });
  expect(replaced.files.textOf('out.txt')).toBe('two');
});

test('keeps a matching extension, and ignores folders of the host', async () => {
  const { text } = await save('message', 'x', { file_name: './out.txt', local_format: 'txt' });
  expect(text).toBe("Message saved successfully as './out.txt' at user-1/out.txt");
});

test('supports nodes of earlier versions', async () => {
  const files = filesUnderTest({ 'flow/in.csv': 'a\n1\n' });
  const values = { file_path: './output', file_format: 'csv', file_name: '' };
  await run(sources.table('flow/in.csv'), values, files, 'df');
  expect(files.textOf('output.csv')).toBe('a\n1\n');
});

describe('as a tool', () => {
  let server: ModelServerUnderTest;
  beforeEach(async () => {
    server = await startModelServerUnderTest();
  });
  afterEach(() => server.close());

  test.each([
    [{ input: '[{"a": 1}, {"a": 2}]', file_format: 'csv' }, 'DataFrame', 'csv', 'a\n1\n2\n'],
    [{ input: '{"a": 1}' }, 'DataFrame', 'csv', 'a\n1\n'],
    [{ input: 'no JSON', file_format: 'txt' }, 'Message', 'txt', 'no JSON'],
  ])('saves content from the model: %j', async (given, type, format, content) => {
    server.answers.push(callTools(['save_to_file', { file_name: 'out', ...given }]), streamText('Done.'));
    const files = filesUnderTest();
    const agent = { model: [{ name: 'gpt-4o-mini', provider: 'OpenAI' }], add_calculator_tool: false };
    const document = flow(
      [
        node('ChatInput-a', 'ChatInput'),
        toolNode('SaveToFile-t', 'SaveToFile'),
        node('Agent-g', 'Agent', { ...agent, stream: false }),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Agent-g', 'input_value'),
        edge('SaveToFile-t', 'component_as_tool', 'Agent-g', 'tools'),
        edge('Agent-g', 'response', 'ChatOutput-z', 'input_value'),
      ],
    );
    const variables = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-stored' };
    const { text } = await runFlow(document, { input: 'Save it.', variables, resources: files.resources });
    expect(text).toBe('Done.');
    expect(files.textOf(`out.${format}`)).toBe(content);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain(
      `${type} saved successfully as 'out.${format}' at user-1/out.${format}`,
    );
  });
});

test('reports unsupported settings', async () => {
  const refusal = (values: Values) => failureOf(save('message', 'x', values));
  expect(await refusal({ file_name: ' ' })).toContain('File name must be provided.');
  expect(await refusal({ local_format: 'excel' })).toContain(
    "Invalid file format 'excel' for Message. Allowed: ['txt', 'html', 'json', 'markdown']",
  );
  expect(await refusal({ storage_location: [{ name: 'Google Drive' }] })).toContain(
    'The storage location Google Drive is not available here. Please choose Local.',
  );
  const document = flow([node('SaveToFile-b', 'SaveToFile', { file_name: 'x' })]);
  const { resources } = filesUnderTest();
  expect(await failureOf(runFlow(document, { show: 'SaveToFile-b', resources }))).toContain(
    'Unsupported input type: NoneType',
  );
});
