import { randomUUID } from 'node:crypto';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import type { LimitScope } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { RequestLimits } from './request-limits';

const PER_SECOND = 200;
const CALLERS = 64;
/** Two gateways and two ingest services. */
const PROCESSES = 4;
const OF_A_KIND = 2;
let stores: KeyValueStore[] = [];
let limits: RequestLimits[] = [];

beforeAll(async () => {
  const logger = createLogger({ name: 'limits', level: 'silent' });
  const prefix = `limits-${randomUUID()}:`;
  const opening = Array.from({ length: PROCESSES }, () =>
    openKeyValueStore({ url: process.env['REDIS_URL'], prefix, logger, name: 'limits' }),
  );
  stores = await Promise.all(opening);
  limits = stores.map(
    (keyValue) =>
      new RequestLimits({ keyRequestsPerSecond: undefined, keyValue, processes: OF_A_KIND, logger }),
  );
});
afterAll(() => Promise.all(stores.map((store) => store.close())));

/** When a request was granted, in milliseconds: not before `from`, not after `to`. */
interface Granted {
  readonly from: number;
  readonly to: number;
}

/** Lets all callers ask one after the other; resolves to what each was granted. */
async function ask(scope: LimitScope, milliseconds: number): Promise<Granted[][]> {
  const started = performance.now();
  const owned = { userId: 'user', limits: { [scope]: { requestsPerSecond: PER_SECOND } } };
  const request = {
    principal: { ...owned, keyId: 'key' },
    flow: { ...owned, id: 'flow', projectId: 'project' },
  };
  return Promise.all(
    Array.from({ length: CALLERS }, async (_caller, caller) => {
      const granted: Granted[] = [];
      while (performance.now() - started < milliseconds) {
        const from = performance.now();
        await limits[caller % PROCESSES]?.count(request)?.then(
          () => granted.push({ from, to: performance.now() }),
          () => undefined,
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return granted;
    }),
  );
}

/** The most that was granted within a window of this length, whatever the delay of this process. */
function mostWithin(granted: readonly Granted[], milliseconds: number): number {
  const within = (begin: number) =>
    granted.filter(({ from, to }) => from >= begin && to <= begin + milliseconds).length;
  return Math.max(...granted.map(({ from }) => within(from)));
}

test.each(['key', 'user', 'project', 'flow'] as const)(
  'four processes on one Redis grant the limit of a %s once, and starve no caller',
  async (scope) => {
    const granted = await ask(scope, 2_000);
    // A window of ten seconds has 1.05 times the limit at most: its rate, and half a second at once.
    expect(mostWithin(granted.flat(), 1_000)).toBeLessThanOrEqual(PER_SECOND * 1.5 + PROCESSES);
    expect(granted.flat().length).toBeGreaterThan(PER_SECOND);
    for (const ofCaller of granted) expect(ofCaller.length).toBeGreaterThan(0);
  },
);

/** Lets all callers run one after the other; resolves to the most runs at a time, and to how many each had. */
async function run(maximum: number, milliseconds: number): Promise<{ most: number; runs: number[] }> {
  const started = performance.now();
  let [now, most] = [0, 0];
  const runs = await Promise.all(
    Array.from({ length: CALLERS }, async (_caller, caller) => {
      let count = 0;
      while (performance.now() - started < milliseconds) {
        let release = () => {};
        const request = {
          principal: null,
          flow: {
            id: 'flow',
            projectId: null,
            userId: 'user',
            limits: { flow: { concurrentRuns: maximum } },
          },
          onWaiting: (given: () => void) => (release = given),
        };
        const isGranted = await limits[caller % PROCESSES]?.count(request)?.then(
          () => true,
          () => false,
        );
        if (isGranted) {
          count += 1;
          most = Math.max(most, (now += 1));
        }
        if (isGranted) {
          await new Promise((resolve) => setTimeout(resolve, 5));
          now -= 1;
          release();
        }
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
      }
      return count;
    }),
  );
  return { most, runs };
}

test('four processes on one Redis run as many runs as the limit says, and starve no caller', async () => {
  const { most, runs } = await run(10, 2_000);
  expect(most).toBe(10);
  for (const count of runs) expect(count).toBeGreaterThan(0);
});

test('they grant at most twice the limit while Redis is away', async () => {
  await Promise.all(stores.map((store) => store.close()));
  const granted = await ask('flow', 2_000);
  expect(granted.flat().length).toBeGreaterThan(0);
  expect(mostWithin(granted.flat(), 1_000)).toBeLessThanOrEqual(PER_SECOND * 2 * 0.9 * 1.5 + PROCESSES);
  expect((await run(10, 500)).most).toBe(20);
});
