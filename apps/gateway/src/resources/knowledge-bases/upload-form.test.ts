import { readUploadForm } from './upload-form';

const file = { name: 'files', filename: 'a.txt', content: Buffer.from('a') };
const read = (fields: Readonly<Record<string, string>> = {}, files = [file]) =>
  readUploadForm({ fields: new Map(Object.entries(fields)), files });
const json = (value: unknown) => JSON.stringify(value);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
const plain = {
  files: [file],
  chunkSize: 1_000,
  chunkOverlap: 200,
  separator: '',
  sourceName: '',
  metadata: {},
  fileMetadata: new Map(),
};

test('a form has the files of its field, and defaults', () => {
  expect(read({}, [file, { ...file, name: 'other' }])).toEqual(plain);
  expect(read({ chunk_size: '', metadata: '', separator: '' })).toEqual(plain);
});

test('what is at a bound is taken', () => {
  const metadata = {
    ...keys(14),
    ['a'.repeat(32)]: 'v'.repeat(256),
    list: Array.from({ length: 16 }, () => 'v'.repeat(256)),
  };
  const single = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, { flag: true }]));
  const form = {
    chunk_size: ' 10000 ',
    chunk_overlap: '+5000',
    separator: 's'.repeat(1_000),
    source_name: 'n'.repeat(1_000),
    metadata: json(metadata),
    per_file_metadata: json(single),
  };
  expect(read(form)).toEqual({
    files: [file],
    chunkSize: 10_000,
    chunkOverlap: 5_000,
    separator: form.separator,
    sourceName: form.source_name,
    metadata,
    fileMetadata: new Map(Object.entries(single)),
  });
  expect(read({ chunk_size: '1', chunk_overlap: '0' })).toMatchObject({ chunkSize: 1, chunkOverlap: 0 });
  expect(read({ chunk_size: '5', chunk_overlap: '5' })).toMatchObject({ chunkSize: 5, chunkOverlap: 5 });
});

test('a field that is no whole number in its bounds has an item', () => {
  const items = (fields: Readonly<Record<string, string>>, files = [file]): unknown => {
    try {
      return read(fields, files);
    } catch (error) {
      const { code, detail } = error as { readonly code: string; readonly detail: unknown };
      return [code, detail];
    }
  };
  const item = (type: string, name: string, msg: string, input: string, ctx?: object) => ({
    type,
    loc: ['body', name],
    msg,
    input,
    ...(ctx && { ctx }),
  });
  const integer = 'Input should be a valid integer, unable to parse string as an integer';
  const least = (bound: number) => `Input should be greater than or equal to ${bound}`;
  const most = (bound: number) => `Input should be less than or equal to ${bound}`;
  expect(items({ chunk_size: '1.5', chunk_overlap: 'x' }, [])).toEqual([
    'invalid_request',
    [
      { type: 'missing', loc: ['body', 'files'], msg: 'Field required', input: null },
      item('int_parsing', 'chunk_size', integer, '1.5'),
      item('int_parsing', 'chunk_overlap', integer, 'x'),
    ],
  ]);
  expect(items({ chunk_size: '0', chunk_overlap: '-1' })).toEqual([
    'invalid_request',
    [
      item('greater_than_equal', 'chunk_size', least(1), '0', { ge: 1 }),
      item('greater_than_equal', 'chunk_overlap', least(0), '-1', { ge: 0 }),
    ],
  ]);
  expect(items({ chunk_size: '10001', chunk_overlap: '5001', files: 'text' }, [])).toEqual([
    'invalid_request',
    [
      {
        type: 'value_error',
        loc: ['body', 'files', 0],
        msg: "Value error, Expected UploadFile, received: <class 'str'>",
        input: 'text',
        ctx: { error: {} },
      },
      item('less_than_equal', 'chunk_size', most(10_000), '10001', { le: 10_000 }),
      item('less_than_equal', 'chunk_overlap', most(5_000), '5001', { le: 5_000 }),
    ],
  ]);
});

const badKey = (key: string) =>
  `Metadata key '${key}' is invalid: must be 1-32 lowercase alphanumeric or underscore characters.`;
const badType = (type: string) =>
  `Metadata value for 'a' must be a string, number, bool, or string array; got ${type}.`;

test.each([
  [{ chunk_size: '100', chunk_overlap: '101' }, "Chunk overlap (101) can't be larger than chunk size (100)."],
  [{ separator: 's'.repeat(1_001) }, 'separator exceeds 1000 characters.'],
  [{ source_name: 's'.repeat(1_001) }, 'source_name exceeds 1000 characters.'],
  [{ metadata: '[]' }, 'Metadata must be a JSON object.'],
  [{ metadata: json(keys(17)) }, 'Metadata exceeds the 16 key limit.'],
  [{ metadata: json({ A: 1 }) }, badKey('A')],
  [{ metadata: json({ ['a'.repeat(33)]: 1 }) }, badKey('a'.repeat(33))],
  [{ metadata: json({ source: 1 }) }, "Metadata key 'source' is reserved for ingestion-internal use."],
  [{ metadata: json({ a: 'v'.repeat(257) }) }, "Metadata value for 'a' exceeds 256 characters."],
  [{ metadata: json({ a: null }) }, badType('NoneType')],
  [{ metadata: json({ a: {} }) }, badType('dict')],
  [{ metadata: json({ a: Array(17).fill('') }) }, "Metadata array 'a' exceeds 16 items."],
  [{ metadata: json({ a: [1] }) }, "Metadata array 'a' must contain only strings."],
  [{ metadata: json({ a: ['v'.repeat(257)] }) }, "Metadata array entry under 'a' exceeds 256 characters."],
  [{ per_file_metadata: '1' }, 'Per-file metadata must be a JSON object keyed by filename.'],
  [{ per_file_metadata: json(keys(17)) }, 'Per-file metadata exceeds the 16 file limit.'],
  [{ per_file_metadata: json({ 'a.txt': 1 }) }, "Per-file metadata for 'a.txt' must be a JSON object."],
  [{ per_file_metadata: json({ 'a.txt': { A: 1 } }) }, badKey('A')],
])('a form is refused: case %#', (fields, detail) => {
  expect(() => read(fields)).toThrow(
    expect.objectContaining({ code: 'invalid_request', status: 422, detail }),
  );
});

test.each([
  ['metadata', 'Metadata'],
  ['per_file_metadata', 'Per-file metadata'],
])('%s that is no JSON is refused with the reason', (name, title) => {
  expect(() => read({ [name]: '{' })).toThrow(`${title} is not valid JSON: `);
  expect(() => read({ [name]: '{"a": NaN}' })).toThrow(`${title} must not contain NaN or Infinity.`);
});
