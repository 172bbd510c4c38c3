import { requestedCachePolicy } from './requested-cache-policy';

const setting = { ttlSeconds: 60 };

test('the cache is off unless the flow or the caller asks for it', () => {
  expect(requestedCachePolicy(undefined, undefined)).toBeNull();
  expect(requestedCachePolicy(undefined, 'max-age=0')).toBeNull();
  expect(requestedCachePolicy(undefined, 'only-if-cached, max-stale=5')).toBeNull();
});

test('the setting of a flow and the header of a caller turn the cache on', () => {
  expect(requestedCachePolicy(setting, undefined)).toEqual({
    maximumAgeSeconds: 60,
    ttlSeconds: 60,
    byAuthor: true,
  });
  expect(requestedCachePolicy(undefined, 'max-age=30')).toEqual({
    maximumAgeSeconds: 30,
    ttlSeconds: 30,
    byAuthor: false,
  });
  expect(requestedCachePolicy(undefined, 'Max-Age="999999"')).toMatchObject({ ttlSeconds: 86_400 });
});

test('the shorter time applies to the lookup, and the result is stored for the time of the setting', () => {
  expect(requestedCachePolicy(setting, 'max-age=5')).toEqual({
    maximumAgeSeconds: 5,
    ttlSeconds: 60,
    byAuthor: true,
  });
  expect(requestedCachePolicy(setting, 'max-age=0')).toMatchObject({ maximumAgeSeconds: 0, ttlSeconds: 60 });
  expect(requestedCachePolicy(setting, 'max-age=500')).toMatchObject({
    maximumAgeSeconds: 60,
    ttlSeconds: 60,
  });
});

test.each(['no-cache', 'no-store', 'max-age=30, No-Cache'])('%s bypasses the cache', (header) => {
  expect(requestedCachePolicy(setting, header)).toBe('bypass');
  expect(requestedCachePolicy(undefined, header)).toBe('bypass');
});

test.each(['max-age=soon', 'max-age', 'max-age=-1', ',,', ''])('%j is ignored', (header) => {
  expect(requestedCachePolicy(setting, header)).toMatchObject({ maximumAgeSeconds: 60 });
  expect(requestedCachePolicy(undefined, header)).toBeNull();
});
