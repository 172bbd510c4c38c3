import { cacheWish } from './cache-wish';

const setting = { ttlSeconds: 60 };

test('without a word from flow or caller there is no cache', () => {
  expect(cacheWish(undefined, undefined)).toBeNull();
  expect(cacheWish(undefined, 'max-age=0')).toBeNull();
  expect(cacheWish(undefined, 'only-if-cached, max-stale=5')).toBeNull();
});

test('the setting of a flow and the header of a caller open it', () => {
  expect(cacheWish(setting, undefined)).toEqual({ maximumAgeSeconds: 60, ttlSeconds: 60, byAuthor: true });
  expect(cacheWish(undefined, 'max-age=30')).toEqual({
    maximumAgeSeconds: 30,
    ttlSeconds: 30,
    byAuthor: false,
  });
  expect(cacheWish(undefined, 'Max-Age="999999"')).toMatchObject({ ttlSeconds: 86_400 });
});

test('the shorter time holds, and what is made stays for those who take older results', () => {
  expect(cacheWish(setting, 'max-age=5')).toEqual({ maximumAgeSeconds: 5, ttlSeconds: 60, byAuthor: true });
  expect(cacheWish(setting, 'max-age=0')).toMatchObject({ maximumAgeSeconds: 0, ttlSeconds: 60 });
  expect(cacheWish(setting, 'max-age=500')).toMatchObject({ maximumAgeSeconds: 60, ttlSeconds: 60 });
});

test.each(['no-cache', 'no-store', 'max-age=30, No-Cache'])('%s leaves it aside', (header) => {
  expect(cacheWish(setting, header)).toBe('bypass');
  expect(cacheWish(undefined, header)).toBe('bypass');
});

test.each(['max-age=soon', 'max-age', 'max-age=-1', ',,', ''])('%j says nothing', (header) => {
  expect(cacheWish(setting, header)).toMatchObject({ maximumAgeSeconds: 60 });
  expect(cacheWish(undefined, header)).toBeNull();
});
