import { runInNewContext } from 'node:vm';
import { Data, formatValue, missingKey, parseFormat, parsePythonJson, PythonFormatError } from '../index';
import type { PythonObject } from '../index';

const item = parsePythonJson(
  '{"text": "T", "n": 3, "f": 1.0, "b": true, "none": null, "d": {"a": 1, "k": "v"}, "l": ["x", 2], ' +
    '"s": "a{b}c", "a b": "sp", "w": 10}',
) as PythonObject;

/** Formats like `pattern.format_map(item)`, with empty text for missing keys; returns errors as Python prints them. */
function lenient(pattern: string): string {
  return outcome(() => parseFormat(pattern).format((name) => (Object.hasOwn(item, name) ? item[name]! : '')));
}

/** Formats like `pattern.format(**item)`. */
function strict(pattern: string): string {
  return outcome(() =>
    parseFormat(pattern).format(
      (name) => {
        if (!Object.hasOwn(item, name)) throw missingKey(name);
        return item[name]!;
      },
      { positional: 'missing' },
    ),
  );
}

function outcome(format: () => string): string {
  try {
    return format();
  } catch (error) {
    if (error instanceof PythonFormatError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

test.each([
  ['{text} {n} {f} {b} {none}', 'T 3 1.0 True None'],
  ['{d} {l} {s}', "{'a': 1, 'k': 'v'} ['x', 2] a{b}c"],
  ['{{text}}', '{text}'],
  ['{{{text}}}', '{T}'],
  ['${text} %s', '$T %s'],
  ['\\{text\\}', '\\'],
  ['[{missing}{ text }]', '[]'],
  ['{a b}', 'sp'],
  ['{d[a]} {l[0]}', '1 x'],
  ['{text!r} {n:>5} {f:.2f} {n:{n}} {s:{w}}|', "'T'     3 1.00   3 a{b}c     |"],
  ['{d!a}', "{'a': 1, 'k': 'v'}"],
  ['{constructor}{toString}', ''],
])('formats %j as Python does', (pattern, expected) => {
  expect(lenient(pattern)).toBe(expected);
});

test.each([
  ['{}', 'ValueError: Format string contains positional fields'],
  ['{0}', 'ValueError: Format string contains positional fields'],
  ['{d.a}', "AttributeError: 'dict' object has no attribute 'a'"],
  ['{missing.x}', "AttributeError: 'str' object has no attribute 'x'"],
  ['{text.__class__}', "AttributeError: 'str' object has no attribute '__class__'"],
  ['{d[zz]}', "KeyError: 'zz'"],
  ['{d[__proto__]}', "KeyError: '__proto__'"],
  ['{missing[0]}', 'IndexError: string index out of range'],
  ['{l[9]}', 'IndexError: list index out of range'],
  ['{l[-1]}', 'TypeError: list indices must be integers or slices, not str'],
  ['{n[0]}', "TypeError: 'int' object is not subscriptable"],
  ['{', "ValueError: Single '{' encountered in format string"],
  ['text}', "ValueError: Single '}' encountered in format string"],
  ['{text}}', "ValueError: Single '}' encountered in format string"],
  ['{{text}', "ValueError: Single '}' encountered in format string"],
  ['{text', "ValueError: expected '}' before end of string"],
  ['{a{b}}', "ValueError: unexpected '{' in field name"],
  ['{l[0]x}', "ValueError: Only '.' or '[' may follow ']' in format field specifier"],
  ['{l[]}', 'ValueError: Empty attribute in format string'],
  ['{text!', 'ValueError: end of string while looking for conversion specifier'],
  ['{text!r', "ValueError: unmatched '{' in format spec"],
  ['{text!rr}', "ValueError: expected ':' after conversion specifier"],
  ['{text!x}', 'ValueError: Unknown conversion specifier x'],
  ['{text:.1f}', "ValueError: Unknown format code 'f' for object of type 'str'"],
  ['{n:{n:{n}}}', 'ValueError: Max string recursion exceeded'],
  ['{"k": 1}', 'ValueError: Space not allowed in string format specifier'],
])('rejects %j as Python does', (pattern, expected) => {
  expect(lenient(pattern)).toBe(expected);
});

test('reports the first error from the left', () => {
  expect(strict('{missing} {')).toBe("KeyError: 'missing'");
  expect(strict('{} {missing}')).toBe(
    'IndexError: Replacement index 0 out of range for positional args tuple',
  );
});

test.each([
  ['"x"', '>5', '    x'],
  ['"x"', '*^5', '**x**'],
  ['"\\ud83d\\ude00\\u00e9"', '<4', '😀é  '],
  ['"text"', '.2', 'te'],
  ['-3', '+05', '-0003'],
  ['1234', '010,', '00,001,234'],
  ['255', '#x', '0xff'],
  ['255', '_b', '1111_1111'],
  ['65', 'c', 'A'],
  ['2.5', '.0f', '2'],
  ['0.1', '.20f', '0.10000000000000000555'],
  ['1234.5', '012,.1f', '00,001,234.5'],
  ['0.25', '%', '25.000000%'],
  ['123456.0', '.6', '1.23456e+05'],
  ['1234567.0', 'g', '1.23457e+06'],
  ['-0.4', 'z.0f', '0'],
  ['Infinity', 'F', 'INF'],
  ['true', '>5', '    1'],
  ['12', 'e', '1.200000e+01'],
  ['9.995', '.2f', '9.99'],
  ['1e22', ',.0f', '10,000,000,000,000,000,000,000'],
])('formats %s with %j', (json, specification, expected) => {
  expect(formatValue(parsePythonJson(json), specification)).toBe(expected);
});

test.each([
  ['"x"', '=5', "ValueError: '=' alignment not allowed in string format specifier"],
  ['"x"', ',', "ValueError: Cannot specify ',' with 's'."],
  ['1', '.2', 'ValueError: Precision not allowed in integer format specifier'],
  ['1.5', 'd', "ValueError: Unknown format code 'd' for object of type 'float'"],
  ['null', '>5', 'TypeError: unsupported format string passed to NoneType.__format__'],
  ['1', ',_', "ValueError: Cannot specify both ',' and '_'."],
  ['1', '5.', 'ValueError: Format specifier missing precision'],
  ['1', 'abc', "ValueError: Invalid format specifier 'abc' for object of type 'int'"],
  ['-1', 'c', 'OverflowError: %c arg not in range(0x110000)'],
  ['1', '99999999999999999999', 'ValueError: Too many decimal digits in format string'],
])('rejects the format of %s with %j', (json, specification, expected) => {
  expect(outcome(() => formatValue(parsePythonJson(json), specification))).toBe(expected);
});

test('accesses members of a Data like those of an object', () => {
  const format = parseFormat('{x.name} {x.data[name]}');
  expect(format.format(() => new Data({ name: 'Ann' }))).toBe('Ann Ann');
  expect(outcome(() => parseFormat('{x.y}').format(() => new Data()))).toBe(
    "AttributeError: 'JSON' object has no attribute 'y'",
  );
});

test('a short pattern cannot produce an unbounded text', () => {
  expect(outcome(() => parseFormat('{a:1000000}'.repeat(100)).format(() => 'x'))).toMatch(/^MemoryError: /);
  expect(outcome(() => parseFormat('{a:1000001}').format(() => 'x'))).toMatch(/^ValueError: /);
});

test('parses a hostile pattern in linear time', () => {
  for (const part of ['{', '{a[', '{a:', '}', '{{', '{a!']) {
    const work = () => parseFormat(part.repeat(1_000_000));
    // In quadratic time this takes minutes. The deadline interrupts it.
    runInNewContext('work()', { work }, { timeout: 20_000 });
  }
});
