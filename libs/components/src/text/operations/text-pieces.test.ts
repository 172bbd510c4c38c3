import { textPieces } from './text-pieces';

const words = 'žluťoučký kůň  \n\t 😀 '.repeat(5000);

test('splits a text at word ends without changing it', () => {
  const pieces = [...textPieces(words)];
  expect(pieces.join('')).toBe(words);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces.slice(1)) expect(piece).toMatch(/^\s/);
  for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/\S$/);
});

test('a text that is short or has no blanks is one piece', () => {
  const solid = 'x'.repeat(100_000);
  expect([...textPieces(solid)]).toEqual([solid]);
  expect([...textPieces('a b')]).toEqual(['a b']);
  expect([...textPieces('')]).toEqual(['']);
});
