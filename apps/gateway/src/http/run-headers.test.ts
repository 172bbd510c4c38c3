import {
  dedupeKeyOf,
  headerVariables,
  readPreferences,
  requestedCachePolicy,
  requestedCallback,
  requestedDeadlineSeconds,
} from './run-headers';

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
  expect(requestedCallback({})).toBeNull();
  const msg = `Input is required with ${name}: without a URL, no report is sent`;
  const item = { type: 'value_error', loc: ['header', 'x-callback-url'], msg, input: null };
  expect(() => requestedCallback({ [name]: 'finished' })).toThrow(refusal([item]));
});

const URL_1 = 'https://a.example/b?c=1';
const LONGEST_URL = `${URL_1}${'x'.repeat(2_000 - URL_1.length)}`;

test.each([
  [{ 'x-callback-secret': 'A' }, { url: URL_1, secrets: ['A'] }],
  [{ 'x-callback-secret': ' A,, B ' }, { url: URL_1, secrets: ['A', 'B'] }],
  [
    { 'x-callback-secret': 'A', 'x-callback-on': 'waiting, failed,failed' },
    { url: URL_1, secrets: ['A'], on: ['failed', 'waiting'] },
  ],
  [
    { 'x-callback-url': LONGEST_URL, 'x-callback-secret': 'A' },
    { url: LONGEST_URL, secrets: ['A'] },
  ],
])('the callback of %j is read', (headers, callback) => {
  expect(requestedCallback({ 'x-callback-url': URL_1, ...headers })).toEqual(callback);
});

const ADDRESS = 'Input should be a valid http or https URL without user, password and fragment';
const SECRETS = 'Input should be the names of 1 to 2 variables that contain signing secrets';
const KINDS = 'Input should be one or more of finished, failed, dead, cancelled, waiting';

test.each([
  ['x-callback-url', `${LONGEST_URL}x`, `${LONGEST_URL}x`, ADDRESS],
  ['x-callback-url', 'https://user@a.example/', 'https://user@a.example/', ADDRESS],
  ['x-callback-url', 'https://a.example/#b', 'https://a.example/#b', ADDRESS],
  ['x-callback-url', 'http://a:99999/', 'http://a:99999/', ADDRESS],
  ['x-callback-url', ['http://a/', 'http://b/'], ['http://a/', 'http://b/'], ADDRESS],
  ['x-callback-secret', undefined, null, SECRETS],
  ['x-callback-secret', ' ,', ' ,', SECRETS],
  ['x-callback-secret', 'A,B,C', 'A,B,C', SECRETS],
  ['x-callback-on', 'failed,ended', ['failed', 'ended'], KINDS],
])('%s of %j is refused', (name, value, input, msg) => {
  const headers = { 'x-callback-url': URL_1, 'x-callback-secret': 'A', [name]: value };
  const item = { type: 'value_error', loc: ['header', name], msg, input };
  expect(() => requestedCallback(headers)).toThrow(refusal([item]));
});

test('a deadline is a whole number of seconds from 1 to 1,000,000', () => {
  const of = (input: string) => requestedDeadlineSeconds({ 'x-deadline-seconds': input });
  expect([of('1'), of('1000000'), requestedDeadlineSeconds({})]).toEqual([1, 1_000_000, null]);
  for (const input of ['0', '1000001', '-1', '1.5', '12345678', 'soon', '']) {
    const msg = 'Input should be a whole number of seconds from 1 to 1000000';
    const item = { type: 'int_parsing', loc: ['header', 'x-deadline-seconds'], msg, input };
    expect(() => of(input)).toThrow(refusal([item]));
  }
});

test('a dedupe key is that of a scope; its key has 1 to 255 visible characters', () => {
  const of = (key: string | undefined) => dedupeKeyOf({ 'idempotency-key': key }, 'scope');
  expect([of(undefined), of('a'), of('~'.repeat(255))]).toEqual([
    null,
    'scope a',
    `scope ${'~'.repeat(255)}`,
  ]);
  for (const key of ['', 'a b', 'ä', 'a'.repeat(256)])
    expect(() => of(key)).toThrow(
      expect.objectContaining({
        code: 'idempotency_key_invalid',
        status: 400,
        detail: 'An Idempotency-Key must have 1 to 255 visible ASCII characters.',
      }),
    );
});

test('a header that is not of a variable sets none, and of a repeated one all values count', () => {
  expect(headerVariables({ 'x-langflow-global': 'a' })).toEqual({});
  expect(headerVariables({ 'x-langflow-global-var-a': ['1', '2'], host: 'h' })).toEqual({ A: '1, 2' });
});

function refusal(detail: readonly object[]): Error {
  return expect.objectContaining({ code: 'invalid_request', status: 422, detail }) as Error;
}
