import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MillraceError } from '@millrace/flow';
import * as texts from './testing/components.fixture';
import { WatchedPool } from './testing/pool-remains.fixture';
import { runText } from './testing/run-text.fixture';
import { testPython } from './testing/test-python.fixture';

/** Runs of this test; see CONTRIBUTING.md. */
const count = Number(process.env['TEST_PYTHON_RUNS'] ?? 60);
const parallel = 4;
/** One more than processes: most are kept for their key, and some make room for another one. */
const keys = 9;
const maximumProcesses = 8;
/** Growth of the live memory of this process after the first tenth of the runs. */
const maximumGrowth = 16 * 1024 ** 2;

jest.setTimeout(120_000 + count * 1_000);

test(`${count} runs with kills at random leave no process, folder, socket and memory`, async () => {
  const watched = await WatchedPool.open(testPython(), { maximumProcesses, seal: { level: 'required' } });
  const outcomes = { done: 0, killed: 0, zygotes: 0 };
  let started = 0;
  let early = 0;
  const work = async (): Promise<void> => {
    for (let number = (started += 1); number <= count; number = started += 1) {
      if (number === Math.ceil(count / 10)) early = liveBytes();
      if (number % 1_000 === 0)
        report({ number, ...outcomes, live: liveBytes(), rss: process.memoryUsage().rss });
      const key = { ownerId: `owner-${number % keys}`, flowId: 'flow-1', version: 1 };
      if (number % 10 === 0) void killOne(watched);
      if (number % 2_000 === 30) {
        process.kill(watched.pool.zygotePid ?? 0, 'SIGKILL');
        outcomes.zygotes += 1;
      }
      try {
        const code = number % 3 === 0 ? texts.streams : texts.counts;
        expect([1, 'abc']).toContainEqual(textOf(await runText(watched.pool, code, { key })));
        outcomes.done += 1;
      } catch (error) {
        expect(error).toMatchObject({ code: 'component_failed', permanent: false });
        expect((error as MillraceError).message).toMatch(/Python process/);
        outcomes.killed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  expect(outcomes.done + outcomes.killed).toBe(count);
  expect(outcomes.done).toBeGreaterThan(outcomes.killed);
  await watched.untilIdle();
  await watched.close();
  const late = liveBytes();
  report({ ...outcomes, early, late });
  expect(late - early).toBeLessThan(maximumGrowth);
});

/** The memory of this process that is in use; resident memory also has freed pages that the allocator keeps. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Writes a line where the test has so many runs that it takes minutes. */
function report(progress: object): void {
  if (count >= 1_000) process.stderr.write(`${JSON.stringify(progress)}\n`);
}

/** Kills one of the processes of the pool, in whatever state it is. */
async function killOne(watched: WatchedPool): Promise<void> {
  await pause(Math.random() * 20);
  const pids = watched.pids();
  const pid = pids[Math.floor(Math.random() * pids.length)];
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since.
  }
}

function textOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
}
