import fc from 'fast-check';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import * as sliceable from './split-characters';
import { splitItems } from './split-documents';
import type { SplitOptions } from './split-characters';

function whole<Result>(work: InterruptibleWork<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
const splitCharacters = (text: string, separator: string, options: SplitOptions) =>
  whole(sliceable.splitCharacters(text, separator, options));
const splitRecursively = (text: string, separators: readonly string[], options: SplitOptions) =>
  whole(sliceable.splitRecursively(text, separators, options));

const sizes = (chunkSize: number, chunkOverlap: number) =>
  ({ chunkSize, chunkOverlap, keeps: 'nothing' }) as const;

test.each([
  ['aa\nbb\ncc\ndd', '\n', sizes(6, 3), ['aa\nbb', 'bb\ncc', 'cc\ndd']],
  ['one\ntwo\nthree four five', '\n', sizes(10, 0), ['one\ntwo', 'three four five']],
  ['a\n\n\nb', '\n', sizes(10, 0), ['a\nb']],
  ['😀😀 😀', ' ', sizes(2, 0), ['😀😀', '😀']],
  ['abc', '', sizes(2, 1), ['ab', 'bc']],
  ['  ', '|', sizes(2, 0), []],
])('%j is split at %j', (text, separator, options, expected) => {
  expect(splitCharacters(text, separator, options)).toEqual(expected);
});

test('a separator can stay on either side', () => {
  expect(splitCharacters('a.b.', '.', { chunkSize: 2, chunkOverlap: 0, keeps: 'end' })).toEqual(['a.', 'b.']);
  expect(splitCharacters('a.b.', '.', { chunkSize: 2, chunkOverlap: 0, keeps: 'start' })).toEqual([
    'a',
    '.b',
    '.',
  ]);
});

test('large pieces are split at finer separators', () => {
  const options = { chunkSize: 12, chunkOverlap: 0, keeps: 'start' } as const;
  expect(splitRecursively('the quick brown fox jumps', ['\n\n', '\n', ' ', ''], options)).toEqual([
    'the quick',
    'brown fox',
    'jumps',
  ]);
  expect(splitRecursively('abcdefghijklmnopq', [' ', ''], options)).toEqual(['abcdefghijkl', 'mnopq']);
});

test('rejects invalid sizes', () => {
  expect(() => splitCharacters('x', ' ', sizes(0, 0))).toThrow('chunk_size must be > 0, got 0');
  expect(() => splitCharacters('x', ' ', sizes(100, 200))).toThrow(
    'Got a larger chunk overlap (200) than chunk size (100), should be smaller.',
  );
});

test('limits the text that overlaps add', () => {
  expect(() => splitCharacters('x'.repeat(200_000), '', sizes(1000, 999))).toThrow(
    'The chunks hold more than 50000000 characters.',
  );
});

test('no chunk is larger than the limit, and no text is lost', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', ' ', '\n', '\n\n', '😀'), { maxLength: 80 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (pieces, chunkSize) => {
      const given = pieces.join('');
      const options = { chunkSize, chunkOverlap: 0, keeps: 'start' } as const;
      const chunks = splitRecursively(given, ['\n\n', '\n', ' ', ''], options);
      expect(chunks.join('').replace(/\s/g, '')).toBe(given.replace(/\s/g, ''));
      for (const chunk of chunks) expect([...chunk].length).toBeLessThanOrEqual(chunkSize);
    }),
  );
});

test('limits the text that overlaps add to all parts of a text', () => {
  const text = `${`${'x'.repeat(998)} `.repeat(200)}\n`.repeat(6);
  expect(() => splitRecursively(text, ['\n', ' '], { ...sizes(100_000, 99_500), keeps: 'start' })).toThrow(
    'The chunks hold more than 50000000 characters.',
  );
});

test('limits the fields that chunks repeat', () => {
  const others = { list: Array.from({ length: 10_000 }, () => 1) };
  const split = function* () {
    yield;
    return Array.from({ length: 2000 }, () => 'x');
  };
  expect(() => whole(splitItems([{ text: '', others }], split))).toThrow(
    'The chunks and their fields hold more than 100000000 characters.',
  );
});
