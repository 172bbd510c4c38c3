import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, createMetrics } from '@millrace/service';
import { LoadGuard, nextSlotLimit } from './load-guards';
import { Slots } from '../attempts/running-attempts';

test('a high lag halves the limit, a low lag raises it slowly, within 1 and the maximum', () => {
  const next = (limit: number, lagMilliseconds: number) =>
    nextSlotLimit({ limit, size: 64, lagMilliseconds, maximumLagMilliseconds: 500 });
  expect([next(64, 501), next(3, 9_000), next(1, 9_000)]).toEqual([32, 1, 1]);
  expect([next(32, 500), next(32, 251)]).toEqual([32, 32]);
  expect([next(32, 250), next(1, 0), next(60, 0), next(64, 0)]).toEqual([40, 2, 64, 64]);
});

test('a high event loop lag lowers the limit, is logged once, and recovers', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  const metrics = createMetrics();
  const slots = new Slots(4);
  const guard = new LoadGuard({ slots, maximumLagMilliseconds: 200, metrics, logger });
  guard.start();
  const block = (milliseconds: number): void => {
    const until = Date.now() + milliseconds;
    while (Date.now() < until);
  };
  const limitBecomes = async (limit: number, meanwhile: () => void): Promise<void> => {
    for (let tries = 0; slots.limit !== limit; tries += 1) {
      if (tries === 200) throw new Error(`the limit stayed at ${slots.limit}`);
      meanwhile();
      await pause(50);
    }
  };
  await limitBecomes(1, () => block(500));
  expect(await metrics.prometheusText()).toMatch(/millrace_executor_slots(?:\{[^}]*\})? 1\n/);
  await limitBecomes(4, () => undefined);
  guard.close();
  await metrics.close();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('event loop lag too high');
  expect(lines[1]).toContain('back to normal');
});
