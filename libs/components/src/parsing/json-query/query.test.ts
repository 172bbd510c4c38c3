import type { PythonValue } from '@millrace/python-text';
import { evaluateQuery } from './evaluate-query';
import { parseQuery } from './parse-query';
import { contains } from './query-lists';

const run = (query: string, value: PythonValue): readonly PythonValue[] =>
  evaluateQuery(parseQuery(query), value);
const failure = (query: string, value: PythonValue): string => {
  try {
    run(query, value);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};
const people: PythonValue = {
  people: [
    { name: 'Eva', age: 31, tags: ['a', 'b'] },
    { name: 'Jan', age: 25, tags: [] },
  ],
};

test.each<[string, PythonValue, readonly PythonValue[]]>([
  ['.', { a: 1 }, [{ a: 1 }]],
  ['.a.b', { a: { b: 2 } }, [2]],
  ['."a b"', { 'a b': 1 }, [1]],
  ['.["a"]', { a: 1 }, [1]],
  ['.a[0], .a[-1]', { a: [1, 2, 3] }, [1, 3]],
  ['.a[1:]', { a: [1, 2, 3] }, [[2, 3]]],
  ['.a[:2]', { a: 'abc' }, ['ab']],
  ['.missing.deeper', {}, [null]],
  ['.people[].name', people, ['Eva', 'Jan']],
  ['[.people[] | select(.age > 30) | .name]', people, [['Eva']]],
  [
    '.people | map({name, n: (.tags | length)})',
    people,
    [
      [
        { name: 'Eva', n: 2 },
        { name: 'Jan', n: 0 },
      ],
    ],
  ],
  ['.people | sort_by(.age) | first | .name', people, ['Jan']],
  ['.people | group_by(.age > 30) | map(length)', people, [[1, 1]]],
  ['[.people[].age] | add / length', people, [28]],
  ['.a // "none"', {}, ['none']],
  ['.a.b?', { a: 1 }, []],
  ['if .a then "yes" elif .b then "b" else "no" end', { a: null, b: 1 }, ['b']],
  ['{(.k): .v}', { k: 'x', v: 1 }, [{ x: 1 }]],
  ['to_entries', { a: 1 }, [[{ key: 'a', value: 1 }]]],
  ['with_entries({key: .key, value: (.value + 1)})', { a: 1 }, [{ a: 2 }]],
  ['keys', { b: 1, a: 2 }, [['a', 'b']]],
  ['[..] | length', { a: [1, 2] }, [4]],
  ['.a and (.b or false) | not', { a: true, b: null }, [true]],
  ['.a | split(",") | join("-") | ascii_upcase', { a: 'x,y' }, ['X-Y']],
  ['.a | test("^\\\\d+$")', { a: '12' }, [true]],
  ['unique, (map(. * 2) | max), reverse', [3, 1, 3], [[1, 3], 6, [3, 1, 3]]],
  ['[.[] | tostring, type]', [null, 'a'], [['null', 'null', 'a', 'string']]],
  ['. - ["a"]', ['a', 'b'], [['b']]],
  ['. - [1, {"b": [2], "a": null}, "3"]', [1.0, 3, { a: null, b: [2] }, [2], '3', 3], [[3, [2], 3]]],
])('%s of %j', (query, value, expected) => {
  expect(run(query, value)).toEqual(expected);
});

test.each<[string, PythonValue, string]>([
  ['.a.b', { a: 1 }, 'Cannot index number with string ("b")'],
  ['.[0]', {}, 'Cannot index object with number (0)'],
  ['.[1:]', 5, 'Cannot index number with object ({"start":1,"end":null})'],
  [`.["${'a'.repeat(28)}"]`, [], `Cannot index array with string ("${'a'.repeat(24)}...")`],
  [`.["${'日'.repeat(20)}"]`, [], `Cannot index array with string ("${'日'.repeat(8)}...")`],
  ['.[]', 1, 'Cannot iterate over number (1)'],
  ['keys', 'abc', 'string ("abc") has no keys'],
  [
    '.[0][[1,2,3,4,5,6,7,8,9,10,11,12,13,14]]',
    [{}],
    'Cannot index object with array ([1,2,3,4,5,6,7,8,9,10,11,...])',
  ],
  ['.[{}]', {}, 'Cannot index object with object ({})'],
  ['.a +', {}, 'syntax error, unexpected end of the query'],
  ['(.a', {}, 'syntax error, unexpected end of the query'],
  ['nope', {}, 'nope/0 is not defined'],
  ['.a += 1', {}, 'syntax error at "= 1"'],
  ['.[] as $x | $x', [1], 'syntax error at " $x | $x"'],
  ['1 / 0', {}, 'number (1) and number (0) cannot be divided because the divisor is zero'],
  ['{} + []', {}, 'object and array cannot be added'],
  ['"\\(.a)"', {}, 'string interpolation is not supported'],
])('%s of %j is rejected', (query, value, message) => {
  expect(failure(query, value)).toBe(message);
});

test('an expression with too large a result is stopped', () => {
  const doubling = Array.from({ length: 60 }, () => '. + .').join(' | ');
  expect(failure(doubling.split(' | ').slice(0, 40).join(' | '), 'abc')).toBe('the result is too large');
  const nested = Array.from({ length: 30 }, () => '[.[], .[]]').join(' | ');
  expect(failure(nested, [1])).toBe('the query takes more than 1000000 steps');
  expect(failure('('.repeat(100), 1)).toBe('the query is nested too deeply');
});

test('comments end with their line, also with that of the query', () => {
  expect(run('# one\n.a # two\n | . + 1 # three', { a: 1 })).toEqual([2]);
  expect(failure(`.a ${'#'.repeat(100)}\n$`, {})).toBe(`syntax error at " ${'#'.repeat(19)}"`);
});

test('many lists or objects are added up in linear time', () => {
  const lists = Array.from({ length: 400_000 }, () => [1]);
  expect(run('add | length', lists)).toEqual([400_000]);
  const objects = Array.from({ length: 60_000 }, (_, index) => ({ [`k${index}`]: index }));
  expect(run('add | length', objects)).toEqual([60_000]);
  expect(failure('add', [[1], null, 2])).toBe('array and number cannot be added');
  expect(failure('add', [{}, []])).toBe('object and array cannot be added');
  expect(run('add', [null, { a: 1 }, { a: 2 }])).toEqual([{ a: 2 }]);
});

test('a query that takes too long is stopped', () => {
  const query = parseQuery('[.[] | .?]');
  const items = Array.from({ length: 1000 }, () => 1);
  expect(() => evaluateQuery(query, items, 0)).toThrow('the query takes more than 0 milliseconds');
});

test('a comparison of nested lists is stopped', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const lists = numbers.map((index) => [...numbers, 1000 + index]);
  expect(() => contains(lists, lists, { count: 9_999_000 })).toThrow('the result is too large');
  expect(run('contains(.)', lists.slice(0, 9))).toEqual([true]);
});
