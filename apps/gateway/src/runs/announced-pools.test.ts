import { workerKey } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { AnnouncedPools } from './announced-pools';

const lines: string[] = [];
const logger = createLogger({
  name: 'announced-pools-test',
  level: 'warn',
  destination: { write: (line) => void lines.push(line) },
});
let keyValue: KeyValueStore;

beforeEach(async () => {
  lines.splice(0);
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'announced-pools-test' });
});
afterEach(() => keyValue.close());

const announce = (worker: string, state: object) =>
  keyValue.set(workerKey(worker), JSON.stringify({ worker, pool: 'default', concurrency: 8, ...state }));

test('the slots of a pool are those of its executors', async () => {
  await announce('a', {});
  await announce('b', { concurrency: 4 });
  await announce('c', { pool: 'other', concurrency: 1 });
  const pools = new AnnouncedPools({ keyValue, logger });
  expect(pools.slots('default')).toBeNull();
  await until(() => pools.slots('default') !== null, 'the slots were not read');
  expect([pools.slots('default'), pools.slots('other'), pools.slots('none')]).toEqual([12, 1, null]);
});

test('a pool takes several jobs in one message when all of its executors read that', async () => {
  await announce('a', { takesJobs: 16 });
  await announce('b', { takesJobs: 16 });
  await announce('c', { pool: 'mixed', takesJobs: 16 });
  await announce('d', { pool: 'mixed' });
  const pools = new AnnouncedPools({ keyValue, logger });
  expect(pools.batchedJobs('default')).toBe(0);
  await until(() => pools.batchedJobs('default') > 0, 'the announcements were not read');
  expect(['default', 'mixed', 'none'].map((pool) => pools.batchedJobs(pool))).toEqual([32, 0, 0]);
});

test('an executor that appears counts as one of an earlier release until its announcement is read', async () => {
  await announce('a', { takesJobs: 16 });
  const pools = new AnnouncedPools({ keyValue, logger });
  await until(() => pools.batchedJobs('default') > 0, 'the announcements were not read');
  await announce('b', {});
  pools.executorAppeared();
  expect(pools.batchedJobs('default')).toBe(0);
  await until(() => pools.slots('default') === 16, 'the announcements were not read again');
  expect(pools.batchedJobs('default')).toBe(0);
  await keyValue.delete([workerKey('b')]);
  pools.executorAppeared();
  await until(() => pools.batchedJobs('default') > 0, 'the announcements were not read a third time');
});

test('nothing is known while announcements cannot be read, which is logged once', async () => {
  let reads = 0;
  const pools = new AnnouncedPools({
    keyValue: {
      keys: () => {
        reads += 1;
        return Promise.reject(new Error('away'));
      },
      getMany: (keys) => keyValue.getMany(keys),
    },
    logger,
  });
  for (let count = 0; count < 3; count += 1) {
    pools.executorAppeared();
    expect([pools.slots('default'), pools.batchedJobs('default')]).toEqual([null, 0]);
    await new Promise((resolve) => setTimeout(resolve, 110));
  }
  expect(reads).toBe(3);
  expect(lines).toEqual([expect.stringContaining('announcements of executors could not be read')]);
});

test('executors that appear together do not cause a read each', async () => {
  let reads = 0;
  await announce('a', { takesJobs: 16 });
  const pools = new AnnouncedPools({
    keyValue: {
      keys: (...given) => {
        reads += 1;
        return keyValue.keys(...given);
      },
      getMany: (keys) => keyValue.getMany(keys),
    },
    logger,
  });
  await until(() => pools.batchedJobs('default') > 0, 'the announcements were not read');
  for (let count = 0; count < 100; count += 1) {
    pools.executorAppeared();
    pools.slots('default');
  }
  await until(() => pools.batchedJobs('default') > 0, 'the announcements were not read again');
  expect(reads).toBeLessThan(10);
});
