import { OrjsonError } from './orjson-error';
import { orjsonCompact, orjsonIndented, PythonFloat } from '../index';

test('indents by two and keeps non-ASCII characters', () => {
  expect(orjsonIndented({ a: 'ž😀', b: [1, { c: null }], d: [], e: {} })).toBe(
    '{\n  "a": "ž😀",\n  "b": [\n    1,\n    {\n      "c": null\n    }\n  ],\n  "d": [],\n  "e": {}\n}',
  );
});

test('writes no spaces without indentation', () => {
  expect(orjsonCompact({ a: 'ž', b: [1, { c: null }, new PythonFloat(2)], d: [], e: {} })).toBe(
    '{"a":"ž","b":[1,{"c":null},2.0],"d":[],"e":{}}',
  );
});

test('writes floats with a decimal point, and NaN and Infinity as null', () => {
  const floats = [new PythonFloat(1), new PythonFloat(1e16), 0.00001, 1e-7, Number.NaN, -Infinity, 1.5];
  expect(
    orjsonIndented(floats)
      .split(/\s*[[\],]\s*/)
      .filter(Boolean),
  ).toEqual(['1.0', '1e+16', '0.00001', '1e-7', 'null', 'null', '1.5']);
});

test('rejects values that orjson rejects', () => {
  expect(orjsonIndented(2n ** 64n - 1n)).toBe('18446744073709551615');
  expect(() => orjsonIndented([2n ** 64n])).toThrow(new OrjsonError('Integer exceeds 64-bit range'));
  expect(() => orjsonIndented(['\ud83d'])).toThrow('str is not valid UTF-8: surrogates not allowed');
});
