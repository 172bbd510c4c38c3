import { makePdf, makeTar, makeWorkbook, makeWordDocument, makeZip } from '@millrace/documents/testing';
import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';
import { callToolOf } from '../testing/tool-caller.fixture';
import { toolNode } from '../testing/tool-node.fixture';

type Contents = Readonly<Record<string, string | Uint8Array>>;
type Values = Readonly<Record<string, unknown>>;

/** Runs a flow whose File component returns one of its outputs. */
const show = (output: string, contents: Contents, values: Values): Promise<RunUnderTest> =>
  runFlow(
    flow(
      [node('File-a', 'File', values), node('ChatOutput-z', 'ChatOutput')],
      [edge('File-a', output, 'ChatOutput-z', 'input_value')],
    ),
    { show: 'File-a', resources: filesUnderTest(contents).resources },
  );

const shown = async (output: string, contents: Contents, values: Values = {}): Promise<unknown> => {
  const all = { path: Object.keys(contents), ...values };
  const { result } = await show(output, contents, all);
  return result?.outputs[output]?.message;
};

/** Returns the text of one file with the given name. */
const textOf = (name: string, content: string | Uint8Array): Promise<unknown> =>
  shown('message', { [`flow/${name}`]: content });

const failure = (contents: Contents, values: Values): Promise<string> =>
  failureOf(show('message', contents, values));

test.each([
  ['a.txt', 'Grüße\r\naus', 'Grüße\naus'],
  ['a.PY', 'print(1)', 'print(1)'],
  ['a.html', '<p>as it stands</p>', '<p>as it stands</p>'],
  ['a.csv', 'a,b\n1,2\n', 'a,b\n1,2\n'],
  ['a.json', '{"b": "\u00e9", "c": [1.0, "\u00e9"]}', '{"b":"e\u0301","c":[1.0,"\u00e9"]}'],
  ['a.yaml', 'a: 1\nb: [yes, x]', "{'a': 1, 'b': [True, 'x']}"],
  ['a.xml', '<?xml version="1.0"?><a b="1"><c></c></a>', '<a b="1"><c /></a>'],
  ['a.pdf', makePdf([['One'], ['Two']]), 'One\n\nTwo'],
  ['a.docx', makeWordDocument('<w:p><w:r><w:t>One</w:t></w:r></w:p><w:p/>'), 'One\n\n'],
  ['a.xlsx', makeWorkbook('<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>2.50</v></c></row>'), '1,,2.5\n'],
])('reads %s as text', async (name, content, text) => {
  expect(await textOf(name, content)).toBe(text);
});

test.each([
  ['cp1252', [0x80, 0xe4], '€ä'],
  ['latin-1', [0x80, 0xe4], '\u0080ä'],
  ['cp1251', [0xcc, 0xee, 0xf1], 'Мос'],
  ['UTF_16', [0xfe, 0xff, 0, 0x61], 'a'],
  ['shift_jis', [0x83, 0x65], 'テ'],
])('reads a text in %s', async (text_encoding, bytes, expected) => {
  const contents = { 'flow/a.txt': Uint8Array.from(bytes) };
  expect(await shown('message', contents, { text_encoding })).toBe(expected);
});

test('the log names the encoding of each file', async () => {
  const hint = "If text looks incorrect, set Text Encoding to the file's encoding.";
  const lines = async (values: Values): Promise<unknown> => {
    const contents = { 'flow/a.txt': 'plain', 'flow/b.docx': makeWordDocument('<w:p/>') };
    const { result } = await show('message', contents, { path: Object.keys(contents), ...values });
    return (result?.logs['message'] as readonly { readonly message: unknown }[]).map(
      ({ message }) => message,
    );
  };
  const start = 'Starting parallel processing of 2 files with concurrency: ';
  expect(await lines({})).toEqual([
    `${start}1.`,
    `Read a.txt with text encoding 'ascii' (automatic). ${hint}`,
  ]);
  expect(await lines({ text_encoding: 'Latin_1', concurrency_multithreading: 3 })).toEqual([
    `${start}3.`,
    `Read a.txt with text encoding 'latin-1' (explicit). ${hint}`,
  ]);
});

test('reads the rows of a table in another encoding', async () => {
  const contents = { 'flow/a.csv': Uint8Array.from([0x61, 0x0a, 0xe4, 0x0a]) };
  expect(await shown('dataframe', contents, { text_encoding: 'cp1250' })).toEqual([{ a: 'ä' }]);
});

test.each([
  ['klingon', 'Error loading file flow/a.txt: unknown encoding: klingon'],
  ['utf-8', "Error loading file flow/a.txt: 'utf-8' codec can't decode"],
  ['ascii', "Error loading file flow/a.txt: 'ascii' codec can't decode"],
])('the encoding %s does not fit: an error', async (text_encoding, message) => {
  const values = { path: ['flow/a.txt'], text_encoding };
  expect(await failure({ 'flow/a.txt': Uint8Array.from([0xe4]) }, values)).toContain(message);
});

test('several files become one text with the metadata of the first', async () => {
  const { resources } = filesUnderTest({ 'flow/a.txt': 'one', 'flow/b.md': 'two' });
  const values = { path: ['flow/a.txt', 'flow/b.md'], separator: ' | ' };
  const document = flow(
    [node('File-a', 'File', values), node('MessagetoData-z', 'MessagetoData')],
    [edge('File-a', 'message', 'MessagetoData-z', 'message')],
  );
  const { result } = await runFlow(document, { show: 'MessagetoData-z', resources });
  expect(result?.outputs['data']?.message).toMatchObject({
    text: 'one | two',
    filename: 'a.txt',
    file_size: 3,
    mimetype: 'text/plain',
  });
});

test('a file at the end of a flow returns its text', async () => {
  const { resources } = filesUnderTest({ 'flow/a.txt': 'hello' });
  const document = flow([node('File-a', 'File', { path: 'flow/a.txt' })]);
  const { result } = await runFlow(document, { show: 'File-a', resources });
  expect(result?.outputs).toMatchObject({ message: { message: 'hello' } });
});

test('a single table returns its rows, several files one row each', async () => {
  const csv = 'name,n\nx,1\ny,\n';
  expect(await shown('dataframe', { 'flow/a.csv': csv })).toEqual([
    { name: 'x', n: 1 },
    { name: 'y', n: Number.NaN },
  ]);
  const rows =
    '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>a</v></c></row>' +
    '<row r="2"><c r="A2"><v>7</v></c><c r="B2" t="b"><v>1</v></c></row>';
  expect(await shown('dataframe', { 'flow/a.xlsx': makeWorkbook(rows) })).toEqual([{ a: 7, 'a.1': true }]);
  expect(await shown('dataframe', { 'flow/a.csv': csv, 'flow/b.txt': 'two' })).toEqual([
    { file_path: 'flow/a.csv', text: csv, encoding: 'ascii' },
    { file_path: 'flow/b.txt', text: 'two', encoding: 'ascii' },
  ]);
  const named = { text_encoding: 'CP1252' };
  expect(await shown('dataframe', { 'flow/b.txt': 'two' }, named)).toEqual([
    { file_path: 'flow/b.txt', text: 'two', encoding: 'cp1252' },
  ]);
});

test('data is a list, but a single item for a node of the earliest versions', async () => {
  const item = { file_path: 'flow/a.txt', text: 'one', encoding: 'ascii' };
  expect(await shown('data', { 'flow/a.txt': 'one' })).toMatchObject([{ data: item }]);
  const early = node('File-a', 'File', { path: 'flow/a.txt' }) as {
    data: { node: { template: Record<string, unknown> } };
  };
  const { path, code, _type } = early.data.node.template;
  early.data.node.template = { path, code, _type };
  const document = flow(
    [early, node('ParseData-z', 'ParseData', { template: '{text}!' })],
    [edge('File-a', 'data', 'ParseData-z', 'data')],
  );
  const { resources } = filesUnderTest({ 'flow/a.txt': 'one' });
  const { result } = await runFlow(document, { show: 'File-a', resources });
  expect(result?.outputs['data']?.message).toEqual(item);
  expect((await runFlow(document, { show: 'ParseData-z', resources })).text).toBe('one!');
});

test('json returns the object that a file contains as JSON or as a Python literal', async () => {
  expect(await shown('json', { 'flow/a.json': '{"a": [1]}' })).toEqual({ a: [1] });
  expect(await shown('json', { 'flow/a.txt': "{'a': True}" })).toEqual({ a: true });
  expect(await shown('json', { 'flow/a.txt': 'no object' })).toEqual({ value: 'no object' });
});

test('path returns the paths of all files', async () => {
  expect(await shown('path', { 'flow/a.txt': 'one', 'b.png': 'two' })).toBe('flow/a.txt\nuser-1/b.png');
});

test('the outputs of the advanced parser return plain text', async () => {
  const contents = { 'flow/a.pdf': makePdf([['One'], ['Two']]) };
  expect(await shown('advanced_markdown', contents, { advanced_mode: true })).toBe('One\n\nTwo');
  expect(await shown('advanced_dataframe', contents, { advanced_mode: true })).toEqual([
    { file_path: 'flow/a.pdf', page_no: 1, label: 'text', text: 'One', level: null },
    { file_path: 'flow/a.pdf', page_no: 2, label: 'text', text: 'Two', level: null },
  ]);
});

test('reads the files in archives, including nested ones', async () => {
  const inner = makeTar({ 'deep.txt': 'three' });
  const archive = makeZip({ 'a.txt': 'one', 'folder/b.md': 'two', 'picture.gif': 'x', 'inner.tar': inner });
  expect(await textOf('all.zip', archive)).toBe('one\n\ntwo\n\nthree');
  expect(await failure({ 'flow/a.zip': 'no archive' }, { path: 'flow/a.zip' })).toContain(
    'Unsupported bundle format: .zip',
  );
  const nested = [1, 2, 3, 4].reduce((content) => makeZip({ 'a.zip': content }), makeZip({ 'a.txt': 'x' }));
  expect(await failure({ 'flow/a.zip': nested }, { path: 'flow/a.zip' })).toContain(
    'is nested in too many archives.',
  );
});

describe('a connected path', () => {
  const contents = { 'flow/a.txt': 'uploaded', 'mine.txt': 'saved' };
  const read = async (source: unknown, output: string, values: Values = {}): Promise<unknown> => {
    const { id } = source as { id: string };
    const document = flow(
      [source, node('File-a', 'File', values), node('ChatOutput-z', 'ChatOutput')],
      [edge(id, output, 'File-a', 'file_path'), edge('File-a', 'message', 'ChatOutput-z', 'input_value')],
    );
    const { resources } = filesUnderTest(contents);
    return (await runFlow(document, { show: 'ChatOutput-z', resources })).text;
  };

  test('takes precedence over the uploaded file', async () => {
    const source = node('TextInput-a', 'TextInput', { input_value: 'mine.txt' });
    expect(await read(source, 'text', { path: 'flow/a.txt' })).toBe('saved');
  });

  test('can be that of a file attached to a message', async () => {
    const source = node('ChatInput-a', 'ChatInput', {
      input_value: 'look',
      files: ['flow/a.txt', 'mine.txt'],
    });
    expect(await read(source, 'message')).toBe('uploaded\n\nsaved');
  });

  test('can be a field of data', async () => {
    const data = (value: string) => node('JSONtoData-a', 'JSONtoData', { json_string: value });
    expect(await read(data('{"file_path": "mine.txt"}'), 'data')).toBe('saved');
    expect(await failureOf(read(data('{"path": "mine.txt"}'), 'data'))).toContain(
      "Data object missing 'file_path' property.",
    );
    expect(await failureOf(read(data('{}'), 'data', { ignore_unspecified_files: true }))).toContain(
      'No files to process.',
    );
  });
});

describe('an unreadable file', () => {
  test('is reported with its path', async () => {
    expect(await failure({}, { path: 'flow\\missing.txt' })).toContain(
      "File not found: 'flow\\missing.txt' (resolved to: 'flow/missing.txt'). Please upload the file again.",
    );
    expect(await failure({ 'flow/a.pdf': 'text' }, { path: 'flow/a.pdf' })).toContain(
      'Error loading file flow/a.pdf: The file is not a PDF, or it is damaged.',
    );
    expect(await failure({ 'flow/a.json': '{' }, { path: 'flow/a.json' })).toContain(
      'Error loading file flow/a.json: Expecting property name',
    );
  });

  test('is skipped if errors are silent', async () => {
    const contents = { 'flow/a.pdf': 'text', 'flow/b.txt': 'two' };
    const path = ['flow/missing.txt', ...Object.keys(contents)];
    expect(await shown('message', contents, { path, silent_errors: true })).toBe('two');
    expect(await failure({}, { path, silent_errors: true })).toContain('No files to process.');
  });

  test('is ignored for an unsupported extension, unless that is disabled', async () => {
    const contents = { 'flow/a.gif': 'x', 'flow/b.txt': 'two' };
    expect(await shown('message', contents)).toBe('two');
    const strict = { path: 'flow/a.gif', ignore_unsupported_extensions: false };
    expect(await failure(contents, strict)).toContain('Unsupported file extension: .gif');
    expect(await failure({ 'flow/a.png': 'x' }, { path: 'flow/a.png' })).toContain(
      "File 'a.png' has extension '.png' which requires Advanced Parser mode.",
    );
  });

  test('is reported or skipped if it is too large', async () => {
    const table = Buffer.alloc(8_388_609, 'a,b\n');
    expect(await failureOf(show('dataframe', { 'flow/a.csv': table }, { path: 'flow/a.csv' }))).toContain(
      'Error loading file flow/a.csv: A table of more than 8388608 bytes cannot be read.',
    );
    const contents = { 'flow/a.txt': Buffer.alloc(33_554_433), 'flow/b.txt': 'two' };
    expect(await failure(contents, { path: 'flow/a.txt' })).toContain('Error loading file flow/a.txt: ');
    expect(await shown('message', contents, { silent_errors: true })).toBe('two');
  });

  test('is reported if no file is given, or if another storage location is chosen', async () => {
    expect(await failure({}, {})).toContain('No files to process.');
    expect(await failure({}, { storage_location: [{ name: 'AWS' }] })).toContain(
      'The storage location AWS is not available here.',
    );
  });
});

test('a model gets the error of the tool as its answer', async () => {
  const { result } = await callToolOf(toolNode('File-a', 'File'), {});
  expect(result).toBe('Error reading files: No files to process.');
});

test('a tweak can name another file', async () => {
  const { resources } = filesUnderTest({ 'flow/a.txt': 'saved', 'flow/b.txt': 'given' });
  const document = flow(
    [node('File-a', 'File', { path: 'flow/a.txt' }), node('ChatOutput-z', 'ChatOutput')],
    [edge('File-a', 'message', 'ChatOutput-z', 'input_value')],
  );
  for (const path of ['flow/b.txt', ['flow/b.txt']]) {
    const tweaks = { 'File-a': { path } };
    expect((await runFlow(document, { show: 'ChatOutput-z', resources, tweaks })).text).toBe('given');
  }
});
