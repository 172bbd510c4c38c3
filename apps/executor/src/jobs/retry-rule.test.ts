import type { RunFailure } from '@millrace/messages';
import { pauseBeforeRetry } from './decide-after-attempt';

const failure = (code: string): RunFailure => ({ code, message: 'no', vertex: null, problems: [] });
const failed = (retries: number, code = 'component_failed') => ({ failure: failure(code), retries });

test('pauses double up to the maximum, and the random factor shortens them by up to half', () => {
  const rule = { attempts: 10, backoffSeconds: 2, maximumBackoffSeconds: 15 };
  const pauses = [0, 1, 2, 3, 4].map((retries) => pauseBeforeRetry(rule, failed(retries), 0));
  expect(pauses).toEqual([2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(pauseBeforeRetry(rule, failed(1), 1)).toBe(2_000);
});

test('the attempts of a rule count the first one', () => {
  const rule = { attempts: 3 };
  expect([0, 1, 2].map((retries) => pauseBeforeRetry(rule, failed(retries), 0))).toEqual([
    5_000,
    10_000,
    null,
  ]);
});

test.each([
  ['component_failed', undefined, true],
  ['internal', undefined, true],
  ['deadline_exceeded', undefined, false],
  ['deadline_exceeded', ['deadline_exceeded'], true],
  ['component_failed', ['deadline_exceeded'], false],
  ['flow_refused', undefined, false],
  ['cancelled', undefined, false],
] as const)('%s with a rule for %s: %s', (code, on, isTriedAgain) => {
  const rule = { attempts: 2, ...(on ? { on } : {}) };
  expect(pauseBeforeRetry(rule, failed(0, code), 0) !== null).toBe(isTriedAgain);
});

test('without a rule or without a failure there is no other attempt', () => {
  expect(pauseBeforeRetry(null, failed(0), 0)).toBeNull();
  expect(pauseBeforeRetry({ attempts: 5 }, { failure: null, retries: 0 }, 0)).toBeNull();
});
