import { failureOf, flow, node, runFlow } from '../flow-under-test.fixture';

const rowsOf = async (csv_string: string): Promise<unknown> => {
  const { result } = await runFlow(flow([node('CSVtoData-a', 'CSVtoData', { csv_string })]), {
    show: 'CSVtoData-a',
  });
  const list = result?.outputs['data_list']?.message as readonly { readonly data: unknown }[];
  return list.map((item) => item.data);
};

test('makes data of each row, every value a text', async () => {
  expect(await rowsOf('text,n\nfirst,1\n\nsecond,2\n')).toEqual([
    { text: 'first', n: '1' },
    { text: 'second', n: '2' },
  ]);
  expect(await rowsOf('a,b\n"x,1","say ""hi"""\n')).toEqual([{ a: 'x,1', b: 'say "hi"' }]);
});

test('a row may lack cells or have too many', async () => {
  expect(await rowsOf('a,b\n1\n1,2,3')).toEqual([
    { a: '1', b: null },
    { a: '1', b: '2', None: ['3'] },
  ]);
});

test('needs a text, since it reads no files', async () => {
  const failure = async (values: Readonly<Record<string, unknown>>): Promise<string> =>
    failureOf(runFlow(flow([node('CSVtoData-a', 'CSVtoData', values)]), { show: 'CSVtoData-a' }));
  expect(await failure({})).toContain('Please provide exactly one of: CSV file, file path, or CSV string.');
  expect(await failure({ csv_path: '/etc/passwd' })).toContain('CSV files cannot be read here.');
});
