import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { filesUnderTest } from '../testing/run-files.fixture';

const rowsOf = async (csv_string: string): Promise<unknown> => {
  const { result } = await runFlow(flow([node('CSVtoData-a', 'CSVtoData', { csv_string })]), {
    show: 'CSVtoData-a',
  });
  const list = result?.outputs['data_list']?.message as readonly { readonly data: unknown }[];
  return list.map((item) => item.data);
};

test('returns data for each row, with every value as text', async () => {
  expect(await rowsOf('text,n\nfirst,1\n\nsecond,2\n')).toEqual([
    { text: 'first', n: '1' },
    { text: 'second', n: '2' },
  ]);
  expect(await rowsOf('a,b\n"x,1","say ""hi"""\n')).toEqual([{ a: 'x,1', b: 'say "hi"' }]);
});

test('accepts rows with too few or too many cells', async () => {
  expect(await rowsOf('a,b\n1\n1,2,3')).toEqual([
    { a: '1', b: null },
    { a: '1', b: '2', None: ['3'] },
  ]);
});

test('a text without rows says so in place of an empty list', async () => {
  const document = flow([node('CSVtoData-a', 'CSVtoData', { csv_string: 'a,b' })]);
  expect((await runFlow(document, { show: 'CSVtoData-a' })).result).toMatchObject({
    artifacts: { data_list: { repr: 'The CSV data is empty.', raw: 'The CSV data is empty.', type: 'text' } },
    outputs: { data_list: { message: 'The CSV data is empty.', type: 'text' } },
  });
});

test('reads a stored file', async () => {
  const { resources } = filesUnderTest({ 'flow/a.csv': 'a\n1\n', 'b.csv': 'a\n2\n', 'c.txt': 'a' });
  const read = async (values: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const document = flow([node('CSVtoData-a', 'CSVtoData', values)]);
    const { result } = await runFlow(document, { show: 'CSVtoData-a', resources });
    return result?.outputs['data_list']?.message;
  };
  expect(await read({ csv_file: 'flow/a.csv' })).toMatchObject([{ data: { a: '1' } }]);
  expect(await read({ csv_path: 'b.csv' })).toMatchObject([{ data: { a: '2' } }]);
  expect(await failureOf(read({ csv_path: 'missing.csv' }))).toContain("File not found: 'missing.csv'");
  expect(await failureOf(read({ csv_path: 'c.txt' }))).toContain('The provided file must be a CSV file.');
});

test('requires exactly one source', async () => {
  const failure = async (values: Readonly<Record<string, unknown>>): Promise<string> =>
    failureOf(runFlow(flow([node('CSVtoData-a', 'CSVtoData', values)]), { show: 'CSVtoData-a' }));
  const refusal = 'Please provide exactly one of: CSV file, file path, or CSV string.';
  expect(await failure({})).toContain(refusal);
  expect(await failure({ csv_path: 'a.csv', csv_string: 'a' })).toContain(refusal);
});
