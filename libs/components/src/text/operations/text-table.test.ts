import { PythonFloat } from '@millrace/python-text';
import { runInSlices } from '../../parsing/run-in-slices';
import { textTable } from './text-table';

const tableOf = (text: string, options: Parameters<typeof textTable>[1]) =>
  runInSlices(textTable(text, options), new AbortController().signal);

test('columns that contain only numbers become numeric', async () => {
  const { rows, columns } = await tableOf('a; b\n\n1; 2.5\n2; 3\n', { separator: ';', hasHeader: true });
  expect(columns).toEqual(['a', 'b']);
  expect(rows).toEqual([
    { a: 1, b: 2.5 },
    { a: 2, b: new PythonFloat(3) },
  ]);
});

test('lines without a header can have any length and number', async () => {
  const { rows, columns } = await tableOf(`1,2\n${'3\n'.repeat(200_000)}`, {
    separator: ',',
    hasHeader: false,
  });
  expect(columns).toEqual(['col_0', 'col_1']);
  expect(rows).toHaveLength(200_001);
  expect(rows.at(-1)).toEqual({ col_0: 3, col_1: Number.NaN });
});

test('a Markdown table has neither empty columns nor its delimiter line', async () => {
  const { rows, columns } = await tableOf('| a | b |\n|---|:-:|\n| 1 | x |', {
    separator: '|',
    hasHeader: true,
  });
  expect(columns).toEqual(['a', 'b']);
  expect(rows).toEqual([{ a: 1, b: 'x' }]);
});

test('a row of another length than the header is refused', () => {
  expect(() => tableOf('a,b\n1,2\n3', { separator: ',', hasHeader: true })).toThrow(
    'Header mismatch: 2 column(s) in header vs 1 column(s) in data row 2.',
  );
});
