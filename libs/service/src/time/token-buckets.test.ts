import { TokenBuckets } from './token-buckets';

test('allows the tokens of one second at once, then tokens at the configured rate', () => {
  let now = 0;
  const buckets = new TokenBuckets({ perSecond: 4, now: () => now });
  const allowed = (count: number) =>
    Array.from({ length: count }, () => buckets.take('key')).filter((wait) => wait === null).length;
  expect(allowed(10)).toBe(4);
  expect(buckets.take('key')).toBe(0.25);
  now = 250;
  expect(allowed(10)).toBe(1);
  now = 60_000;
  expect(allowed(10)).toBe(4);
});

test('a rate below one per second allows one token every few seconds', () => {
  let now = 0;
  const buckets = new TokenBuckets({ perSecond: 0.5, now: () => now });
  expect([buckets.take('key'), buckets.take('key')]).toEqual([null, 2]);
  now = 2_000;
  expect([buckets.take('key'), buckets.take('key')]).toEqual([null, 2]);
});

test('one name does not spend the tokens of another', () => {
  const buckets = new TokenBuckets({ perSecond: 1, now: () => 0 });
  expect([buckets.take('one'), buckets.take('one'), buckets.take('other')]).toEqual([null, 1, null]);
});
