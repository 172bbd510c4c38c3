import { isJsonWithin } from '../index';

test.each([
  ['a text of ASCII', 'x'.repeat(98)],
  ['a text of three bytes a character', '€'.repeat(32) + 'xx'],
  ['a text of four bytes a character', '😀'.repeat(24) + 'xx'],
  ['a list', ['x'.repeat(40), 'x'.repeat(50)]],
  ['an object', { a: 'x'.repeat(40), b: { c: 'x'.repeat(31) } }],
])('%s is measured in bytes of UTF-8', (_what, value) => {
  const smallest = [...Array(120).keys()].find((bytes) => isJsonWithin(value, bytes));
  // A comma is counted after each element and member.
  expect(smallest).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
  expect(smallest).toBeLessThanOrEqual(Buffer.byteLength(JSON.stringify(value)) + 3);
});

test('a value without an end is too large', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  expect(isJsonWithin(cyclic, 1_000)).toBe(false);
});
