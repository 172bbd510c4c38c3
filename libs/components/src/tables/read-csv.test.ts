import { PythonFloat } from '@millrace/flow';
import { readCsv } from './read-csv';

test('gives each column one kind of value', () => {
  expect(readCsv('i,f,b,t,m\n1,1,true,x,\n2,2.5,False,"a ""q"",\nb",3\r\n')).toEqual([
    { i: 1, f: new PythonFloat(1), b: true, t: 'x', m: Number.NaN },
    { i: 2, f: 2.5, b: false, t: 'a "q",\nb', m: new PythonFloat(3) },
  ]);
});

test('names columns as pandas does', () => {
  expect(readCsv('a,a,\n1,2,3')).toEqual([{ a: 1, 'a.1': 2, 'Unnamed: 2': 3 }]);
});

test('keeps integers of any size', () => {
  expect(readCsv('n,x\n123456789012345678901,1')).toEqual([{ n: 123456789012345678901n, x: 1 }]);
});

test('refuses a row with more cells than the header', () => {
  expect(readCsv('a,b\n1,2,3')).toBeNull();
});

test('reads a megabyte in linear time', () => {
  const text = `a,b\n${'"x""y",1\n'.repeat(110_000)}`;
  const started = Date.now();
  expect(readCsv(text)).toHaveLength(110_000);
  expect(Date.now() - started).toBeLessThan(3000);
});
