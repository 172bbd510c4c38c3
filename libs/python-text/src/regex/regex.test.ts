import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { parseRegex } from './regex';

/** Runs resumable work to its end and returns the result. */
function runToEnd<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
const found = (pattern: string, text: string) => runToEnd(parseRegex(pattern).findAll(text));
const texts = (pattern: string, text: string): readonly string[] =>
  found(pattern, text).map((match) => match.text);
const replaced = (pattern: string, text: string, replacement: string): string =>
  runToEnd(parseRegex(pattern).replaceAll(text, replacement));
const refusal = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

test.each<[string, string, readonly string[]]>([
  ['\\d+', '1 22 ٣٤', ['1', '22', '٣٤']],
  ['\\w+', 'čau světe_1!', ['čau', 'světe_1']],
  ['[\\w.]+@[a-z.]+', 'a.b@c.cz x', ['a.b@c.cz']],
  ['[^\\W\\d]+', 'ab12_c', ['ab', '_c']],
  ['[\\s\\S]', 'a\n', ['a', '\n']],
  ['[\\w\\W]', '_‿ ', ['_', '‿', ' ']],
  ['a*', 'baac', ['', 'aa', '', '']],
  ['', '😀a', ['', '', '']],
  ['(?i)Ž', 'žŽ', ['ž', 'Ž']],
  ['x{,2}y', 'xxy', ['xxy']],
  ['a{b}', 'a{b}', ['a{b}']],
  ['[][]', '[]', ['[', ']']],
  ['(?<=€)\\d+', '€5 6', ['5']],
  ['(?#note)a(?s:.)b\\Z', 'a\nb', ['a\nb']],
  ['\\u00e9|\\x41|\\101', 'éAA', ['é', 'A', 'A']],
  ['(?a)\\w+', 'aé', ['a']],
  ['^a', 'aa', ['a']],
])('%s finds in %j', (pattern, text, expected) => {
  expect(texts(pattern, text)).toEqual(expected);
});

test('returns the groups of each match', () => {
  expect(found('(\\w)=(\\d)?', 'a=1 b=').map(({ groups }) => groups)).toEqual([
    ['a', '1'],
    ['b', null],
  ]);
});

test.each([
  ['(', 'missing ), unterminated subpattern at position 0'],
  ['a(b(', 'missing ), unterminated subpattern at position 3'],
  ['a\n(', 'missing ), unterminated subpattern at position 2 (line 2, column 1)'],
  ['a)', 'unbalanced parenthesis at position 1'],
  ['[a', 'unterminated character set at position 0'],
  ['[]', 'unterminated character set at position 0'],
  ['[z-a]', 'bad character range z-a at position 1'],
  ['[a-\\d]', 'bad character range a-\\d at position 1'],
  ['*a', 'nothing to repeat at position 0'],
  ['(*a)', 'nothing to repeat at position 1'],
  ['^*', 'nothing to repeat at position 1'],
  ['a**', 'multiple repeat at position 2'],
  ['a*?*', 'multiple repeat at position 3'],
  ['a{3,2}', 'min repeat greater than max repeat at position 2'],
  ['\\', 'bad escape (end of pattern) at position 0'],
  ['[\\q]', 'bad escape \\q at position 1'],
  ['\\x1', 'incomplete escape \\x1 at position 0'],
  ['(?P<n', 'missing >, unterminated name at position 4'],
  ['(?P<1>a)', "bad character in group name '1' at position 4"],
  ['(a)(?P<n>b)(?P<n>c)', "redefinition of group name 'n' as group 3; was group 2 at position 15"],
  ['(?z)a', 'unknown extension ?z at position 1'],
  ['(?', 'unexpected end of pattern at position 2'],
  ['a(?i)b', 'global flags not at the start of the expression at position 1'],
  ['(?#c', 'missing ), unterminated comment at position 0'],
])('%j is rejected as in Python', (pattern, message) => {
  expect(refusal(() => parseRegex(pattern))).toBe(message);
});

test.each([
  ['(?=a)', 'look-ahead is not supported in a linear-time search'],
  ['(a)\\1', 'references to groups are not supported in a linear-time search'],
  ['a++', 'possessive repeats are not supported in a linear-time search'],
  ['(?x) a', 'the flag x is not supported'],
])('%s is rejected with a reason', (pattern, message) => {
  expect(refusal(() => parseRegex(pattern))).toBe(message);
});

test('a pattern has at most 10,000 characters', () => {
  expect(refusal(() => parseRegex('a'.repeat(10_001)))).toBe('longer than 10000 characters');
});

test('a search whose matches each scan the whole text is stopped after the time limit', () => {
  const message = refusal(() => runToEnd(parseRegex('a(.*b)?', 50).findAll('a'.repeat(100_000))));
  expect(message).toBe('the search took longer than 50 milliseconds');
});

test('finds at most the given number of matches', () => {
  const limited = (limit: number) => runToEnd(parseRegex('.').findAll('abc', limit)).map(({ text }) => text);
  expect(limited(2)).toEqual(['a', 'b']);
  expect(limited(0)).toEqual([]);
});

test.each([
  [',\\s*', 'a, b,c', ['a', 'b', 'c']],
  ['(,)|;', 'a,b;c', ['a', ',', 'b', '', 'c']],
  ['(?<=[.!])\\s+', 'One. Two!  Three', ['One.', 'Two!', 'Three']],
  ['x', 'abc', ['abc']],
])('%j splits %j into %j', (pattern, text, parts) => {
  expect(runToEnd(parseRegex(pattern).split(text))).toEqual(parts);
});

test('can be interrupted after each match', () => {
  const work = parseRegex('b').replaceAll('abcb', 'x');
  expect([work.next(), work.next(), work.next()]).toEqual([
    { done: false, value: undefined },
    { done: false, value: undefined },
    { done: true, value: 'axcx' },
  ]);
});

test('replaces matches by templates', () => {
  expect(replaced('\\d+', 'a1b22', '_')).toBe('a_b_');
  expect(replaced('(?P<k>\\w)=(\\w)', 'a=b, c=d', '\\2\\g<k>$1\\n\\\\')).toBe('ba$1\n\\, dc$1\n\\');
  expect(refusal(() => replaced('a', 'a', '\\1'))).toBe('invalid group reference 1 at position 1');
  expect(refusal(() => replaced('a', 'a', '\\q'))).toBe('bad escape \\q at position 0');
  expect(refusal(() => replaced('a', 'a', '\\g<n>'))).toBe("unknown group name 'n'");
});

test('matches at the start of a text, or anywhere in it', () => {
  expect(parseRegex('b').matchesStart('ab')).toBe(false);
  expect(parseRegex('a').matchesStart('ab')).toBe(true);
  expect(parseRegex('b').isFoundIn('ab')).toBe(true);
});

test('any pattern is either rejected with a reason or searched for', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      (pattern, text) => {
        const message = refusal(() => found(pattern, text));
        expect(message).not.toContain('internal');
      },
    ),
    { numRuns: 300 },
  );
});

test('a pattern with exponential backtracking is searched for without backtracking', () => {
  const work = () => texts('(a+)+$', `${'a'.repeat(30_000)}b`);
  // The deadline interrupts an exponential search.
  expect(runInNewContext('work()', { work }, { timeout: 20_000 })).toEqual([]);
});

test('a text does not grow beyond a limit', () => {
  const work = parseRegex('(a)').replaceAll('a'.repeat(200), `\\1${'x'.repeat(100_000)}`);
  expect(() => {
    while (work.next().done !== true);
  }).toThrow('the text would be longer than 16777216 characters');
});

test('a large pattern searches shorter texts', () => {
  const regex = parseRegex('(a*)(?:[ab]?){900}c');
  const message = 'too large for a text of 200000 characters; it can search';
  const text = 'ab'.repeat(100_000);
  expect(() => regex.matchesStart(text)).toThrow(message);
  expect(() => regex.isFoundIn(text)).toThrow(message);
  expect(() => regex.findAll(text).next()).toThrow(message);
  expect(regex.isFoundIn('xabc')).toBe(true);
});

test('the searches of several texts have one limit of time', () => {
  const regex = parseRegex('a+b', 0);
  expect(() => {
    for (;;) regex.isFoundIn('a'.repeat(1000));
  }).toThrow('the search took longer than 0 milliseconds');
});
