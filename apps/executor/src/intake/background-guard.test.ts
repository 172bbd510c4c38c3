import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics } from '@millrace/service';
import { Slots } from '../attempts/running-attempts';
import { BackgroundGuard, nextBackgroundLimit } from './load-guards';

test('a busy event loop lowers the limit only while callers wait, a calm one raises it', () => {
  const next = (limit: number, utilization: number, hasCallers = true) =>
    nextBackgroundLimit({ limit, size: 64, utilization, hasCallers });
  expect([next(64, 0.9), next(42, 0.61), next(3, 1), next(2, 1)]).toEqual([42, 28, 2, 2]);
  expect([next(30, 0.6), next(30, 0.41)]).toEqual([30, 30]);
  expect([next(30, 0.4), next(2, 0), next(60, 0)]).toEqual([38, 3, 64]);
  expect([next(2, 1, false), next(64, 1, false)]).toEqual([64, 64]);
  expect(nextBackgroundLimit({ limit: 1, size: 1, utilization: 1, hasCallers: true })).toBe(1);
});

test('background runs get fewer slots while callers wait for a busy event loop, and all of them later', async () => {
  const metrics = createMetrics();
  const slots = new Slots(16);
  const guard = new BackgroundGuard({ slots, metrics });
  guard.start();
  const limitBecomes = async (limit: number, meanwhile: () => Promise<void>): Promise<void> => {
    for (let tries = 0; slots.backgroundLimit !== limit; tries += 1) {
      if (tries === 1_000) throw new Error(`the limit stayed at ${slots.backgroundLimit}`);
      await meanwhile();
      await pause(5);
    }
  };
  const block = (): void => {
    const until = Date.now() + 100;
    while (Date.now() < until);
  };
  await limitBecomes(2, async () => {
    (await slots.take('shared', 'user'))?.release();
    block();
  });
  const taken = [await slots.take('unreserved', 'user'), await slots.take('unreserved', 'user')];
  const third = Promise.resolve(slots.take('unreserved', 'user'));
  expect(slots.taken).toBe(2);
  expect(await metrics.prometheusText()).toMatch(/millrace_executor_background_slots(?:\{[^}]*\})? 2\n/);
  // No caller comes any more.
  await limitBecomes(16, async () => block());
  expect(await third).not.toBeNull();
  for (const slot of taken) slot?.release();
  guard.close();
  await metrics.close();
});
