import { CollectedCalls } from './collected-calls';
import type { CallPiece } from './collected-calls';

/** Returns name and arguments of the calls in these pieces, and checks that each has an id of its own. */
function callsIn(...pieces: readonly CallPiece[]): readonly string[] {
  const calls = new CollectedCalls();
  for (const piece of pieces) calls.add(piece);
  const all = calls.all();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  for (const { id } of all) expect(id).toMatch(/^\w+$/);
  return all.map(({ name, argumentsText }) => `${name}(${argumentsText})`);
}

const call = (index: number | null, id: string | null, name: string | null, text: unknown): CallPiece =>
  ({ index, id, name, arguments: text }) as CallPiece;

test.each<[string, readonly CallPiece[], readonly string[]]>([
  [
    'pieces with an index',
    [call(1, 'b', 'g', '{}'), call(0, 'a', 'f', '{"a"'), call(0, null, null, ':1}')],
    ['f({"a":1})', 'g({})'],
  ],
  [
    'two calls with one index',
    [call(0, 'a', 'f', '{"a":1}'), call(0, 'b', 'f', '{"a":'), call(0, 'b', null, '2}')],
    ['f({"a":1})', 'f({"a":2})'],
  ],
  [
    'two calls with one index and empty ids',
    [call(0, '', 'f', '{"a":1}'), call(0, '', 'g', '{}')],
    ['f({"a":1})', 'g({})'],
  ],
  [
    'calls without index and id',
    [call(null, null, 'f', '{"a":1}'), call(null, null, 'f', '{"a"'), call(null, null, null, ':2}')],
    ['f({"a":1})', 'f({"a":2})'],
  ],
  [
    'calls with ids alone',
    [call(null, 'a', 'f', '{"a"'), call(null, 'b', 'g', '{}'), call(null, 'a', null, ':1}')],
    ['f({"a":1})', 'g({})'],
  ],
  ['names and ids in each piece', [call(0, 'a', 'f', '{"a"'), call(0, 'a', 'f', ':1}')], ['f({"a":1})']],
  ['another id with each piece', [call(0, 'a', 'f', '{"a"'), call(0, 'b', null, ':1}')], ['f({"a":1})']],
  [
    'an empty object before the arguments',
    [call(0, 'a', 'f', '{}'), call(0, null, null, '{"a":'), call(0, null, null, '"}{"}')],
    ['f({"a":"}{"})'],
  ],
  ['a call that is sent twice', [call(0, 'a', 'f', '{"a":1}'), call(0, 'a', 'f', '{"a":1}')], ['f({"a":1})']],
  ['one id for two calls', [call(0, 'a', 'f', '{}'), call(1, 'a', 'f', '{}')], ['f({})', 'f({})']],
  [
    'no arguments',
    [call(0, 'a', 'f', null), call(1, 'b', 'g', ''), call(2, 'c', 'h', 'null')],
    ['f()', 'g()', 'h()'],
  ],
  ['arguments that are no text', [call(0, 'a', 'f', { a: 1 })], ['f({"a":1})']],
  ['arguments in a text in a text', [call(0, 'a', 'f', JSON.stringify('{"a":1}'))], ['f({"a":1})']],
  [
    'broken arguments',
    [call(0, 'a', 'f', '{"a":'), call(1, 'b', 'g', 'x{"a":1}')],
    ['f({"a":)', 'g(x{"a":1})'],
  ],
])('collects %s', (_, pieces, expected) => {
  expect(callsIn(...pieces)).toEqual(expected);
});

// A scan of the rest of the text for each quote does not end within the time limit of the test.
test('reads the arguments of a call whose text has no end once', () => {
  const text = `{"${'\\"'.repeat(5_000_000)}`;
  expect(callsIn(call(0, 'a', 'f', text))).toEqual([`f(${text})`]);
});

test('does not parse all arguments again for each piece with another id', () => {
  const parse = jest.spyOn(JSON, 'parse');
  const pieces = Array.from({ length: 100 }, (_, id) => call(0, `b${id}`, null, 'c'));
  const all = callsIn(call(0, 'a', 'f', '{"a":"'), ...pieces, call(0, 'd', null, '"}'));
  expect(all).toEqual([`f({"a":"${'c'.repeat(100)}"})`]);
  expect(parse).toHaveBeenCalledTimes(1);
  parse.mockRestore();
});
