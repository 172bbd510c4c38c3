import { cursorParameter, parsePosition, runCursor } from '../../resources/runs/run-cursor';
import {
  booleanParameter,
  integerParameter,
  queryOf,
  timeParameter,
  uuidParameter,
  wordParameter,
  wordsParameter,
} from './query';

const ID = '0198a7f0-1b2c-7d3e-8f40-123456789abc';
const query = (text: string) => new URLSearchParams(text);
const bounds = { absent: 5, minimum: 1, maximum: 10 };
const pair = ['one', 'two'] as const;

test.each([
  ['', { boolean: true, integer: 5, word: 'one', words: undefined, uuid: undefined, time: undefined }],
  ['a=false', { boolean: false }],
  ['a=No&a=1,T', { boolean: true }],
  ['a=on,OFF', { boolean: false }],
  ['a=1', { integer: 1, boolean: true }],
  ['a=%2B10', { integer: 10 }],
  ['a=11', { integer: 10 }],
  ['a=two', { word: 'two', words: ['two'] }],
  ['a=two,one&a=two', { words: ['two', 'one', 'two'] }],
  [`a=${ID}`, { uuid: ID }],
  ['a=2026-01-02T03:04:05Z', { time: new Date('2026-01-02T03:04:05Z') }],
])('the query "%s" is read', (text, expected) => {
  const given = query(text);
  const read = {
    boolean: () => booleanParameter(given, 'a', true),
    integer: () => integerParameter(given, 'a', bounds),
    word: () => wordParameter(given, 'a', { words: pair, absent: 'one' }),
    words: () => wordsParameter(given, 'a', pair),
    uuid: () => uuidParameter(given, 'a'),
    time: () => timeParameter(given, 'a'),
  };
  const found = Object.keys(expected).map((name) => [name, read[name as keyof typeof read]()]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

const integer = 'Input should be a valid integer, unable to parse string as an integer';
const expected = "'one' or 'two'";

test.each([
  [
    'bool_parsing',
    'Input should be a valid boolean, unable to interpret input',
    'maybe',
    (given: URLSearchParams) => booleanParameter(given, 'a', true),
    undefined,
  ],
  [
    'int_parsing',
    integer,
    '1.5',
    (given: URLSearchParams) => integerParameter(given, 'a', bounds),
    undefined,
  ],
  [
    'greater_than_equal',
    'Input should be greater than or equal to 1',
    '0',
    (given: URLSearchParams) => integerParameter(given, 'a', bounds),
    { ge: 1 },
  ],
  [
    'less_than_equal',
    'Input should be less than or equal to 10',
    '11',
    (given: URLSearchParams) => integerParameter(given, 'a', { ...bounds, refusesMore: true }),
    { le: 10 },
  ],
  [
    'literal_error',
    `Input should be ${expected}`,
    'three',
    (given: URLSearchParams) => wordParameter(given, 'a', { words: pair, absent: 'one' }),
    { expected },
  ],
  [
    'enum',
    `Input should be ${expected}`,
    'three',
    (given: URLSearchParams) => wordsParameter(given, 'a', pair),
    { expected },
  ],
  [
    'datetime_from_date_parsing',
    'Input should be a valid datetime or date, input is too short',
    'soon',
    (given: URLSearchParams) => timeParameter(given, 'a'),
    { error: 'input is too short' },
  ],
])('a value is refused as %s', (type, msg, input, read, ctx) => {
  const item = { type, loc: ['query', 'a'], msg, input, ...(ctx && { ctx }) };
  expect(() => read(query(`a=${input}`))).toThrow(
    expect.objectContaining({ code: 'invalid_request', status: 422, detail: [item] }),
  );
});

test('a query begins at the first question mark', () => {
  const of = (url?: string) => queryOf({ url } as never).toString();
  expect([of(), of('/a'), of('/a?b=c?d'), of('/a?')]).toEqual(['', '', 'b=c%3Fd', '']);
});

test('a cursor is the position that it was made of, and no other text is one', () => {
  const position = { acceptedAtMicroseconds: 1_234_567_890_123_456, id: ID };
  expect(cursorParameter(new URLSearchParams({ cursor: runCursor(position) }))).toEqual(position);
  expect(cursorParameter(query(''))).toBeUndefined();
  expect(parsePosition(`1.${ID}`)).toEqual({ acceptedAtMicroseconds: 1, id: ID });
  for (const text of [`.${ID}`, `12345678901234567.${ID}`, `1.${ID}0`, `x1.${ID}`, '1.a'])
    expect(parsePosition(text)).toBeNull();
  const msg = 'Input should be the next_cursor of an earlier answer';
  const item = { type: 'value_error', loc: ['query', 'cursor'], msg, input: 'x' };
  expect(() => cursorParameter(query('cursor=x'))).toThrow(expect.objectContaining({ detail: [item] }));
});
