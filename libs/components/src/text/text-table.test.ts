import { PythonFloat } from '@millrace/flow';
import { inSlices } from './in-slices';
import { textTable } from './text-table';

const tableOf = (text: string, options: Parameters<typeof textTable>[1]) =>
  inSlices(textTable(text, options), new AbortController().signal);

test('columns of nothing but numbers hold numbers', async () => {
  const { rows, columns } = await tableOf('a; b\n\n1; 2.5\n2; 3\n', { separator: ';', hasHeader: true });
  expect(columns).toEqual(['a', 'b']);
  expect(rows).toEqual([
    { a: 1, b: 2.5 },
    { a: 2, b: new PythonFloat(3) },
  ]);
});

test('lines without a header may be of any length, and very many', async () => {
  const { rows, columns } = await tableOf(`1,2\n${'3\n'.repeat(200_000)}`, {
    separator: ',',
    hasHeader: false,
  });
  expect(columns).toEqual(['col_0', 'col_1']);
  expect(rows).toHaveLength(200_001);
  expect(rows.at(-1)).toEqual({ col_0: 3, col_1: '' });
});
