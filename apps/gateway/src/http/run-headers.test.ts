import { headerVariables, readPreferences, requestedCachePolicy, requestedCallback } from './run-headers';

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

test.each([
  [undefined, false, 0],
  ['respond-async', true, 0],
  ['Respond-Async, wait=10', true, 10],
  ['wait = "7"; now=1, respond-async;foo', true, 7],
  ['wait=3', false, 3],
  ['wait=1, wait=2', false, 1],
  ['wait=-1, wait=x, wait=1.5, wait, respond-asyncs', false, 0],
  ['wait=99999999999', false, 0],
])('Prefer: %s', (header, respondAsync, waitSeconds) => {
  expect(readPreferences(header)).toEqual({ respondAsync, waitSeconds });
});

test('variables of headers in UTF-8 and in Latin-1 are read as they were sent', () => {
  const sent = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('latin1');
  expect(
    headerVariables({
      'x-langflow-global-var-city': sent('Köln 東京', 'utf8'),
      'x-langflow-global-var-old': sent('Köln', 'latin1'),
    }),
  ).toEqual({ CITY: 'Köln 東京', OLD: 'Köln' });
});

test.each(['x-callback-secret', 'x-callback-on'])('%s without an address is refused', (name) => {
  expect(() => requestedCallback({ [name]: 'finished' })).toThrow(
    expect.objectContaining({ detail: [expect.objectContaining({ loc: ['header', 'x-callback-url'] })] }),
  );
  expect(requestedCallback({})).toBeNull();
});
