import { randomUUID } from 'node:crypto';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { KeyRateLimit } from './key-rate-limit';

const PER_SECOND = 200;
const PROCESSES = 4;
const CALLERS = 64;
let stores: KeyValueStore[] = [];
let limits: KeyRateLimit[] = [];

beforeAll(async () => {
  const logger = createLogger({ name: 'limits', level: 'silent' });
  const prefix = `limits-${randomUUID()}:`;
  const opening = Array.from({ length: PROCESSES }, () =>
    openKeyValueStore({ url: process.env['REDIS_URL'], prefix, logger, name: 'limits' }),
  );
  stores = await Promise.all(opening);
  limits = stores.map(
    (keyValue) =>
      new KeyRateLimit({ perSecond: PER_SECOND, keyValue, name: 'requests', processes: PROCESSES, logger }),
  );
});
afterAll(() => Promise.all(stores.map((store) => store.close())));

/** Lets all callers ask one after the other for this time; resolves to what each was granted and to the seconds it took. */
async function ask(milliseconds: number): Promise<{ granted: number[]; seconds: number }> {
  const started = performance.now();
  const granted = Array.from({ length: CALLERS }, () => 0);
  await Promise.all(
    granted.map(async (_count, caller) => {
      while (performance.now() - started < milliseconds) {
        const isGranted = await Promise.resolve(limits[caller % PROCESSES]?.count('key')).then(
          () => true,
          () => false,
        );
        if (isGranted) granted[caller] = (granted[caller] ?? 0) + 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }),
  );
  return { granted, seconds: (performance.now() - started) / 1_000 };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

test('four processes on one Redis grant one limit, and at most twice as much while it is away', async () => {
  const together = await ask(3_000);
  expect(sum(together.granted)).toBeLessThanOrEqual(PER_SECOND * together.seconds + PER_SECOND / 2);
  for (let process = 0; process < PROCESSES; process += 1)
    expect(sum(together.granted.filter((_count, caller) => caller % PROCESSES === process))).toBeGreaterThan(
      0,
    );
  await Promise.all(stores.map((store) => store.close()));
  const apart = await ask(1_000);
  expect(sum(apart.granted)).toBeGreaterThan(0);
  expect(sum(apart.granted)).toBeLessThanOrEqual(2 * PER_SECOND * apart.seconds);
});
