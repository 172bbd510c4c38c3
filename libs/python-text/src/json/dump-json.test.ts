import * as fc from 'fast-check';
import {
  jsonDumpsCompact,
  jsonDumpsCompactAscii,
  jsonDumpsIndented,
  parsePythonJson,
  PythonFloat,
} from '../index';

test('writes an event of a stream as Python does', () => {
  const event = {
    event: 'token',
    data: { chunk: 'žluť 😀\n\x7f"\\', id: null, n: [1, 2.5, true], empty: {} },
  };
  expect(jsonDumpsCompactAscii(event)).toBe(
    '{"event": "token", "data": {"chunk": "\\u017elu\\u0165 \\ud83d\\ude00\\n\\u007f\\"\\\\", "id": null, ' +
      '"n": [1, 2.5, true], "empty": {}}}',
  );
});

test('writes other characters as they are for the results of tools', () => {
  expect(jsonDumpsCompact({ city: 'Žilina', n: new PythonFloat(42), list: [1, 'é\n'] })).toBe(
    '{"city": "Žilina", "n": 42.0, "list": [1, "é\\n"]}',
  );
});

test('omits undefined members and writes numbers as Python does', () => {
  expect(jsonDumpsCompactAscii({ a: undefined, b: 1 })).toBe('{"b": 1}');
  expect(jsonDumpsCompactAscii([new PythonFloat(1), 2n ** 70n, Number.NaN, -Infinity, 1e-7, 1e21])).toBe(
    '[1.0, 1180591620717411303424, NaN, -Infinity, 1e-07, 1000000000000000000000]',
  );
});

test('indents by four', () => {
  expect(jsonDumpsIndented({ a: [1, { b: [] }], c: {}, d: 'é' })).toBe(
    '{\n    "a": [\n        1,\n        {\n            "b": []\n        }\n    ],\n    "c": {},\n    "d": "\\u00e9"\n}',
  );
});

test('indents by the given number of spaces', () => {
  expect(jsonDumpsIndented({ a: [1] }, 2)).toBe('{\n  "a": [\n    1\n  ]\n}');
});

test('the output is ASCII and parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      for (const text of [jsonDumpsCompactAscii(value), jsonDumpsIndented(value)]) {
        expect(text).toMatch(/^[\n -~]*$/);
        expect(jsonDumpsCompactAscii(parsePythonJson(text))).toBe(jsonDumpsCompactAscii(value));
      }
    }),
  );
});
