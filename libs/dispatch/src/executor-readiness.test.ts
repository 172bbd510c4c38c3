import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger, Health } from '@millrace/service';
import { addExecutorReadiness } from './executor-readiness';
import { workerKey } from './worker-state';

const logger = createLogger({ name: 'test', level: 'silent' });
let keyValue: KeyValueStore;

beforeEach(async () => {
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'test' });
});

afterEach(() => keyValue.close());

function ready(options: { awaitsExecutors?: boolean; jobVersion?: number } = {}) {
  const health = new Health();
  addExecutorReadiness({ health, keyValue, awaitsExecutors: true, ...options });
  return async () => {
    const { ready: isReady, checks } = await health.ready();
    return { isReady, error: checks['executors']?.error };
  };
}

const announce = (worker: string, jobVersions?: readonly number[]) =>
  keyValue.set(
    workerKey(worker),
    JSON.stringify({ worker, version: '0.1.0', pool: 'default', jobVersions }),
    {
      ttlMilliseconds: 60_000,
    },
  );

test('a new process is not ready before an executor announces itself, and stays ready when it leaves', async () => {
  const isReady = ready();
  expect(await isReady()).toEqual({ isReady: false, error: 'no executor announces itself' });
  await announce('one', [1]);
  expect(await isReady()).toEqual({ isReady: true, error: undefined });
  await keyValue.delete([workerKey('one')]);
  expect(await isReady()).toEqual({ isReady: true, error: 'no executor announces itself' });
});

test('a process with jobs of the next version waits until the last executor of the release before has left', async () => {
  const isNewReady = ready({ jobVersion: 2 });
  const isOldReady = ready({ jobVersion: 1 });
  await announce('old');
  expect(await isNewReady()).toMatchObject({
    isReady: false,
    error: expect.stringMatching(
      /1 of 1 executors do not read jobs of version 2, such as old of release 0.1.0/,
    ),
  });
  await announce('new', [1, 2]);
  expect(await isNewReady()).toMatchObject({ isReady: false, error: expect.stringMatching(/1 of 2/) });
  expect(await isOldReady()).toMatchObject({ isReady: true });
  await keyValue.delete([workerKey('old')]);
  expect(await isNewReady()).toMatchObject({ isReady: true });
});

test('where pools can be empty, only an executor that cannot read its jobs keeps a process from being ready', async () => {
  expect(await ready({ awaitsExecutors: false })()).toMatchObject({ isReady: true });
  await announce('old');
  expect(await ready({ awaitsExecutors: false, jobVersion: 2 })()).toMatchObject({ isReady: false });
});
