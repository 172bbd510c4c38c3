import * as fc from 'fast-check';
import {
  Data,
  DataFrame,
  Message,
  PythonFloat,
  floatRepr,
  messageMembers,
  parsePythonJson,
  repr,
  str,
  tableRecords,
} from '../index';
import type { PythonValue } from '../index';

test.each<[PythonValue, string]>([
  [null, 'None'],
  [true, 'True'],
  [3, '3'],
  [12345678901234567890n, '12345678901234567890'],
  [1e21, '1000000000000000000000'],
  [new PythonFloat(1), '1.0'],
  [new PythonFloat(1e16), '1e+16'],
  [0.00001, '1e-05'],
  [0.1, '0.1'],
  [Number.NaN, 'nan'],
  ['x', "'x'"],
  ["it's", '"it\'s"'],
  ['it\'s "x"', "'it\\'s \"x\"'"],
  ['a\n\t\\\x00\x7f\xa0\u200b\u2028é漢😀\ud83d', "'a\\n\\t\\\\\\x00\\x7f\\xa0\\u200b\\u2028é漢😀\\ud83d'"],
  [['x', 2, [new PythonFloat(2)]], "['x', 2, [2.0]]"],
  [{ a: 1, 'b c': { d: null } }, "{'a': 1, 'b c': {'d': None}}"],
])('prints %p as Python does', (value, expected) => {
  expect(repr(value)).toBe(expected);
});

test('prints a Data with its class, also inside a list', () => {
  expect(repr([new Data({ a: '1', b: null })])).toBe(
    "[JSON(text_key='text', data={'a': '1', 'b': None}, default_value='')]",
  );
});

test('prints a table in columns', () => {
  expect(repr(new DataFrame([{ a: 1, b: 'x' }, { a: 2 }]))).toBe('   a    b\n0  1    x\n1  2  NaN');
  expect(
    repr(
      new DataFrame([
        { name: 'Bob', m: 2 },
        { name: 'Ann', n: 1 },
      ]),
    ),
  ).toBe('  name    m    n\n0  Bob  2.0  NaN\n1  Ann  NaN  1.0');
  expect(repr(new DataFrame([{ name: ['Bob', 'Ann'], d: { k: null }, f: -1e-7 }]))).toBe(
    "         name            d             f\n0  [Bob, Ann]  {'k': None} -1.000000e-07",
  );
  expect(repr(new DataFrame([]))).toBe('Empty Table\nColumns: []\nIndex: []');
});

test('prints the cells of a table whole, and leaves out columns in their place', () => {
  const long = 'x'.repeat(60);
  expect(repr(new DataFrame([{ a: long, b: 1 }, { a: 'y' }]))).toBe(
    `${' '.repeat(62)}a    b\n0  ${long}  1.0\n1  ${' '.repeat(59)}y  NaN`,
  );
  expect(repr(new DataFrame([{ a: 'b', c: 'd', e: 'f'.repeat(75) }]))).toBe(
    `   a  ... ${' '.repeat(75)}e\n0  b  ...  ${'f'.repeat(75)}\n\n[1 rows x 3 columns]`,
  );
});

test('a table without columns has no records', () => {
  expect(tableRecords(new DataFrame([{}]))).toEqual([]);
});

test('omits the middle of a long table', () => {
  const lines = repr(new DataFrame(Array.from({ length: 62 }, (_, a) => ({ a })))).split('\n');
  expect(lines.slice(0, 7)).toEqual(['     a', '0    0', '1    1', '2    2', '3    3', '4    4', '..  ..']);
  expect(lines.slice(-2)).toEqual(['', '[62 rows x 1 columns]']);
});

test.each([
  [
    [{ title: 'T'.repeat(30), link: 'l'.repeat(48), summary: 's'.repeat(70), n: 1 }],
    `                            title  ...  n\n0  ${'T'.repeat(30)}  ...  1\n\n[1 rows x 4 columns]`,
  ],
  [
    [Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`c${n}`, n]))],
    '   c0  c1  c2  c3  c4  c5  c6  c7  ...  c17  c18  c19  c20  c21  c22  c23  c24\n' +
      '0   0   1   2   3   4   5   6   7  ...   17   18   19   20   21   22   23   24\n\n[1 rows x 25 columns]',
  ],
  [[{ ['x'.repeat(60)]: true }], `   ${'x'.repeat(60)}\n0${' '.repeat(58)}True`],
])('omits the middle of a wide table, and aligns cells at the end of a long name', (rows, text) => {
  expect(repr(new DataFrame(rows))).toBe(text);
});

test('never prints the settings of a model', () => {
  const model = { kind: 'language-model', provider: 'p', model: 'm', settings: { key: 'secret' } } as const;
  expect(repr([model])).not.toContain('secret');
});

test('str returns texts unchanged and a Data or a Message as indented JSON', () => {
  expect(str('it\'s "x"')).toBe('it\'s "x"');
  expect(str(new Data({ a: { b: [] }, c: 'é' }))).toBe(
    '{\n    "a": {\n        "b": []\n    },\n    "c": "\\u00e9"\n}',
  );
  expect(str(new Message({ text: 'hi' }))).toMatch(
    /^\{\n {4}"text": "hi",\n {4}"files": \[\],\n {4}"sender": null/,
  );
});

test('the repr of a float parses to the same float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Object.is(Number(floatRepr(value)), value)).toBe(true);
      expect(floatRepr(value)).toMatch(/[.e]/);
    }),
  );
});

test('a JSON value has the same repr after parsing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null))), (values) => {
      expect(repr(parsePythonJson(JSON.stringify(values)))).toBe(repr(values));
    }),
  );
});

test('the properties of a message that is not stored are printed as a model, those of a stored one as a dictionary', () => {
  const message = new Message({ text: 'hi' });
  const { properties } = messageMembers(message);
  const source = 'Source(id=None, display_name=None, source=None)';
  expect(str(properties ?? null)).toMatch(/^text_color=None .* icon=None .* state='complete' /);
  expect(str(properties ?? null)).toContain(` source=${source} `);
  expect(repr([properties ?? null])).toContain(`[Properties(text_color=None, `);
  expect(repr(messageMembers(message.with({ id: 'm' })))).toContain("'properties': {'text_color': None, ");
});

test('prints a table of very many columns', () => {
  const row = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`c${index}`, 1]));
  expect(
    str(new DataFrame([row]))
      .split('\n')
      .at(-1),
  ).toBe('[1 rows x 30000 columns]');
});
