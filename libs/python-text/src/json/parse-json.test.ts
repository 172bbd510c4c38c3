import * as fc from 'fast-check';
import { parsePythonJson, PythonFloat, PythonJsonError, repr } from '../index';

function refusal(text: string): PythonJsonError {
  try {
    parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return error;
    throw error;
  }
  throw new Error(`${text} was not refused`);
}

test('distinguishes integers, floats and large integers', () => {
  expect(parsePythonJson('[1, 1.0, 1.5, 1e3, -0, 9007199254740993]')).toEqual([
    1,
    new PythonFloat(1),
    1.5,
    new PythonFloat(1000),
    0,
    9007199254740993n,
  ]);
  expect(repr(parsePythonJson('[-0.0, 1E400, NaN, Infinity, -Infinity]'))).toBe(
    '[-0.0, inf, nan, inf, -inf]',
  );
});

test('keeps the last value of duplicate keys at the position of the first', () => {
  expect(repr(parsePythonJson('{"a": 1, "b": 2, "a": 3}'))).toBe("{'a': 3, 'b': 2}");
});

test('treats __proto__ as an ordinary member', () => {
  const value = parsePythonJson('{"__proto__": {"polluted": true}, "x": 1}') as Record<string, unknown>;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(['__proto__', 'x']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('parses escapes, surrogate pairs and unpaired surrogates', () => {
  expect(parsePythonJson(String.raw`"a\n\t\"\\\/\u00e9\ud83d\ude00\ud83d"`)).toBe('a\n\t"\\/é😀\ud83d');
});

test.each([
  ['', 'Expecting value: line 1 column 1 (char 0)'],
  ['{', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['{"a"', "Expecting ':' delimiter: line 1 column 5 (char 4)"],
  ['{"a":1', "Expecting ',' delimiter: line 1 column 7 (char 6)"],
  ['{"a":1,}', 'Expecting property name enclosed in double quotes: line 1 column 8 (char 7)'],
  ["{'a':1}", 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ['[1,]', 'Expecting value: line 1 column 4 (char 3)'],
  ['"a', 'Unterminated string starting at: line 1 column 1 (char 0)'],
  ['"ab\\"', 'Unterminated string starting at: line 1 column 1 (char 0)'],
  ['"a\nb"', 'Invalid control character at: line 1 column 3 (char 2)'],
  ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)'],
  ['"\\u12"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['"\\u00e9', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
  ['01', 'Extra data: line 1 column 2 (char 1)'],
  ['-Inf', 'Expecting value: line 1 column 1 (char 0)'],
  ['\n\n {"é😀": }', 'Expecting value: line 3 column 9 (char 10)'],
  ['\ufeff{}', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
])('rejects %j as Python does', (text, message) => {
  expect(refusal(text)).toMatchObject({ message, kind: 'JSONDecodeError' });
});

test('counts the position of an error in code points', () => {
  expect(refusal('["😀😀", x]')).toMatchObject({ reason: 'Expecting value', position: 7 });
});

test('rejects nesting beyond the limit of Python, and integers with too many digits', () => {
  expect(refusal('['.repeat(100_000))).toMatchObject({
    kind: 'RecursionError',
    message: 'maximum recursion depth exceeded while decoding a JSON array from a unicode string',
  });
  expect(refusal('1'.repeat(4301)).kind).toBe('ValueError');
  expect(repr(parsePythonJson('['.repeat(900) + ']'.repeat(900)))).toHaveLength(1800);
});

test('rejects more values than the limit, at the first one beyond', () => {
  expect(parsePythonJson('[1, {"a": []}]', { maximumValues: 4 })).toEqual([1, { a: [] }]);
  expect(() => parsePythonJson('[1, {"a": []}, x', { maximumValues: 4 })).toThrow('more than 4 values');
});

test('parses the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(JSON.stringify(parsePythonJson(text), largeIntegers))).toEqual(JSON.parse(text));
    }),
  );
});

function largeIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
