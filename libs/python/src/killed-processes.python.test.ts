import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { ProcessEndedError } from './process/process-ended-error';
import * as texts from './testing/components.fixture';
import { WatchedPool } from './testing/pool-remains.fixture';
import { firstOwner } from './testing/python-flow.fixture';
import { failureOf, runText } from './testing/run-text.fixture';
import { testPython } from './testing/test-python.fixture';

jest.setTimeout(240_000);

let watched: WatchedPool;
beforeAll(async () => {
  watched = await WatchedPool.open(testPython(), { seal: { level: 'required' } });
  await watched.untilIdle();
});
afterAll(() => watched.close());
afterEach(async () => {
  expect(await runText(watched.pool, texts.counts)).toBe(1);
  await watched.untilIdle();
});

const kill = (pid: number): boolean => process.kill(pid, 'SIGKILL');
const lease = () => watched.pool.lease(firstOwner, new AbortController().signal);

/** Runs a component in a process that is kept, and kills the process when `when` resolves. Returns the run's error. */
async function killedDuring(code: string, when: () => Promise<unknown>): Promise<Error> {
  const before = await lease();
  const { pid } = before.process.greeting;
  await before.release();
  const failed = failureOf(runText(watched.pool, code));
  await when();
  kill(pid);
  return failed;
}

function expectOneEnd(error: Error, reason: string | RegExp): void {
  expect(error).toMatchObject({ code: 'component_failed', permanent: false });
  expect(error.message).toMatch(reason);
  expect((error.cause as Error).cause).toBeInstanceOf(ProcessEndedError);
}

test('a process that is killed while it starts is replaced', async () => {
  const known = new Set(watched.pids());
  const leased = await lease();
  let started: number | undefined;
  while (started === undefined) {
    await setImmediate();
    started = watched.pids().find((pid) => !known.has(pid));
  }
  kill(started);
  await leased.release();
});

test('a process that is killed while it is ready is replaced', async () => {
  const ready = watched.pids();
  for (const pid of ready) kill(pid);
  await until(() => !watched.pids().some((pid) => ready.includes(pid)));
  await watched.untilIdle();
  const leased = await lease();
  expect(ready).not.toContain(leased.process.greeting.pid);
  await leased.release();
});

test('a process that is killed while it is leased and idle ends the next request', async () => {
  const leased = await lease();
  const { process: used } = leased;
  kill(used.greeting.pid);
  await until(() => !used.isUsable);
  await expect(used.reset()).rejects.toThrow('signal SIGKILL');
  await leased.release();
});

test('a process that is killed while it computes ends its run', async () => {
  expectOneEnd(
    await killedDuring(texts.loops, () => until(() => watched.pool.counts.leased === 1)),
    /signal SIGKILL/,
  );
});

test('a process that is killed while it streams ends its run', async () => {
  const endless = texts.method(
    'none',
    `def parts():
    while True:
        time.sleep(0.01)
        yield "part"
return Message(text=parts())`,
  );
  expectOneEnd(await killedDuring(endless, () => pause(500)), /signal SIGKILL/);
});

test('a process that is killed while it waits for an answer ends its run', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const before = await lease();
  const { pid } = before.process.greeting;
  await before.release();
  const variables = {
    get KEY(): string {
      asked();
      kill(pid);
      return 'late';
    },
  };
  const error = await failureOf(runText(watched.pool, texts.asks, { variables }));
  await isAsked;
  expectOneEnd(error, /signal SIGKILL/);
});

test('a process that is killed while it is kept is replaced', async () => {
  const kept = Number(await runText(watched.pool, texts.pid));
  expect(watched.pool.counts.kept).toBe(1);
  kill(kept);
  await until(() => !watched.pids().includes(kept));
  await watched.untilIdle();
  expect(watched.pool.counts.kept).toBe(0);
  expect(Number(await runText(watched.pool, texts.pid))).not.toBe(kept);
});

test('the end of the zygote ends each run once, and a further zygote starts', async () => {
  const runs = [texts.loops, texts.waits].map((code) => failureOf(runText(watched.pool, code)));
  await until(() => watched.pool.counts.leased === 2, 'two runs have a process', 60_000);
  watched.pids();
  kill(watched.pool.zygotePid ?? 0);
  for (const run of runs) expectOneEnd(await run, /the zygote ended: SIGKILL/);
});
