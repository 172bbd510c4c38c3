import { workerKey } from '@millrace/dispatch';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { brokerNames } from '@millrace/messages';
import { BusUnavailableError, type QueueStatus } from '@millrace/messaging';
import { AnnouncedPools, PoolWatch } from './executor-pools';

const lines: string[] = [];
const logger = createLogger({
  name: 'executor-pools-test',
  level: 'warn',
  destination: { write: (line) => void lines.push(line) },
});
let keyValue: KeyValueStore;

beforeEach(async () => {
  lines.splice(0);
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'executor-pools-test' });
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

test('executors that are connected are counted with their slots in use', async () => {
  await announce('a', { inHand: 3, isAway: false });
  await announce('b', { inHand: 2, isAway: false, concurrency: 2 });
  await announce('c', { inHand: 1, isAway: true });
  const pools = new AnnouncedPools({ keyValue, logger });
  expect(await pools.connected('default')).toEqual({ slots: 10, busy: 5 });
  expect(await pools.connected('none')).toEqual({ slots: 0, busy: 0 });
  const unreadable = new AnnouncedPools({
    logger,
    keyValue: { keys: () => Promise.reject(new Error('no connection')), getMany: async () => [] },
  });
  expect(await unreadable.connected('default')).toBeNull();
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

test('nothing is known while announcements cannot be read, which is logged once in each outage', async () => {
  let reads = 0;
  let isAway = true;
  const pools = new AnnouncedPools({
    keyValue: {
      keys: () => {
        reads += 1;
        return isAway ? Promise.reject(new Error('away')) : Promise.resolve([]);
      },
      getMany: (keys) => keyValue.getMany(keys),
    },
    logger,
  });
  const read = async (count: number) => {
    for (let done = 0; done < count; done += 1) {
      pools.executorAppeared();
      expect([pools.slots('default'), pools.batchedJobs('default')]).toEqual([null, 0]);
      await new Promise((resolve) => setTimeout(resolve, 110));
    }
  };
  const line = expect.stringContaining('announcements of executors could not be read') as string;
  await read(3);
  expect(reads).toBe(3);
  expect(lines).toEqual([line]);
  isAway = false;
  await read(1);
  isAway = true;
  await read(2);
  expect(lines).toEqual([line, line]);
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

const names = brokerNames('');
const CONSUMED: QueueStatus = { messages: 0, consumers: 1 };
const WITHOUT_CONSUMERS: QueueStatus = { messages: 3, consumers: 0 };

/** A watch over queues in the given states. A request for any other queue never resolves. */
function watch(states: Readonly<Record<string, QueueStatus | Error | null>>) {
  const queueStatus = (queue: string): Promise<QueueStatus | null> => {
    const state = states[queue];
    if (state === undefined) return new Promise(() => undefined);
    return state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  };
  return new PoolWatch({ bus: { queueStatus }, names });
}

const gpu = { pool: 'gpu', needsPython: false };
const lane = names.lane('interactive', 'gpu');
const standby = names.standbyLane('gpu');

test('a pool is alive when its lane, or its standby, has consumers', async () => {
  await expect(watch({ [lane]: CONSUMED, [standby]: null }).ready(gpu)).resolves.toBeUndefined();
  await expect(watch({ [lane]: WITHOUT_CONSUMERS, [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
});

test('a lane on an unresponsive node causes no wait if its standby has consumers', async () => {
  await expect(watch({ [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
  const unavailable = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: unavailable, [standby]: CONSUMED }).ready(gpu)).resolves.toBeUndefined();
});

test('a pool without consumers is rejected with no_executor, an unavailable lane with its own error', async () => {
  await expect(watch({ [lane]: WITHOUT_CONSUMERS, [standby]: null }).ready(gpu)).rejects.toMatchObject({
    code: 'no_executor',
  });
  const unavailable = new BusUnavailableError('no answer');
  await expect(watch({ [lane]: unavailable, [standby]: null }).ready(gpu)).rejects.toBe(unavailable);
});
