import { delayBeforeRetry, isTransient } from './model-retry';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

test.each([408, 409, 429, 500, 503, 599])('status %d is transient', (status) => {
  expect(isTransient(answer(status))).toBe(true);
  expect(isTransient(answer(status, { 'x-should-retry': 'false' }))).toBe(false);
});

test.each([400, 401, 404, 422])('status %d is permanent', (status) => {
  expect(isTransient(answer(status))).toBe(false);
  expect(isTransient(answer(status, { 'x-should-retry': 'true' }))).toBe(true);
});

test('waits as long as the server asks, up to a minute', () => {
  const now = new Date();
  const delay = (headers: Record<string, string>) =>
    delayBeforeRetry({ headers: new Headers(headers), retries: 0, random: 0, now });
  expect(delay({ 'retry-after-ms': '70', 'retry-after': '3' })).toBe(70);
  expect(delay({ 'retry-after': '3' })).toBe(3_000);
  const date = delay({ 'retry-after': new Date(now.getTime() + 30_000).toUTCString() });
  expect(date).toBeGreaterThan(20_000);
  expect(date).toBeLessThanOrEqual(30_000);
  for (const unusable of ['61', '-1', 'soon']) expect(delay({ 'retry-after': unusable })).toBe(500);
});

test('otherwise waits twice as long each time, with jitter', () => {
  const delay = (retries: number, random = 0) =>
    delayBeforeRetry({ headers: null, retries, random, now: new Date() });
  expect([0, 1, 2, 5].map((retries) => delay(retries))).toEqual([500, 1_000, 2_000, 8_000]);
  expect(delay(0, 1)).toBe(375);
});
