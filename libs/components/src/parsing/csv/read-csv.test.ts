import { PythonFloat } from '@millrace/python-text';
import { runInSlices } from '../run-in-slices';
import { readCsv } from './read-csv';

const read = (text: string) => runInSlices(readCsv(text), new AbortController().signal);

test('gives each column one type', async () => {
  expect(await read('i,f,b,t,m\n1,1,true,x,\n2,2.5,False,"a ""q"",\nb",3\r\n')).toEqual([
    { i: 1, f: new PythonFloat(1), b: true, t: 'x', m: Number.NaN },
    { i: 2, f: 2.5, b: false, t: 'a "q",\nb', m: new PythonFloat(3) },
  ]);
});

test('names columns as pandas does', async () => {
  expect(await read('a,a,\n1,2,3')).toEqual([{ a: 1, 'a.1': 2, 'Unnamed: 2': 3 }]);
});

test('keeps integers of any size', async () => {
  expect(await read('n,x\n123456789012345678901,1')).toEqual([{ n: 123456789012345678901n, x: 1 }]);
});

test('rejects a row with more cells than the header', async () => {
  expect(await read('a,b\n1,2,3')).toBeNull();
});

test('reads a megabyte in linear time', async () => {
  const text = `a,b\n${'"x""y",1\n'.repeat(110_000)}`;
  expect(await read(text)).toHaveLength(110_000);
});

test('rejects a small text that represents a very large table', async () => {
  const text = `${','.repeat(3000)}\n${'1\n'.repeat(3000)}`;
  await expect((async () => read(text))()).rejects.toThrow(
    'A table of 3001 columns and 3000 rows has more than 4000000 cells.',
  );
});

test.each([
  ['a quote that nothing closes', 'a,b\n1,"'],
  ['a line without commas', 'a,b\n'],
])('rejects %s in a large text', async (_what, start) => {
  await expect((async () => read(start + 'x'.repeat(1_100_000)))()).rejects.toThrow(
    'A cell in row 2 of the table has more than 1048576 characters. Is its quote closed?',
  );
});

test('rejects a text that is too large for a table', async () => {
  await expect((async () => read('1,2\n'.repeat(2_100_000)))()).rejects.toThrow(
    'A table of more than 8388608 characters cannot be read.',
  );
});
