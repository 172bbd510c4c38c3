import { GroupCommit } from './index';
import type { GroupCommitOptions } from './group-commit';

/** A GroupCommit whose commits the test settles. */
function controlled(options: Partial<GroupCommitOptions<number, number>> = {}) {
  const batches: { items: number[]; succeed: () => void; fail: (error: Error) => void }[] = [];
  const group = new GroupCommit<number, number>({
    commit: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, succeed: () => resolve(items.map((item) => item * 10)), fail: reject });
      }),
    maximumWaitMilliseconds: 5,
    maximumItems: 10,
    maximumPending: 100,
    ...options,
  });
  return { group, batches };
}

const turn = (milliseconds = 15) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('an idle group waits a moment for further items, and each item gets its own result', async () => {
  const { group, batches } = controlled();
  const added = [group.add(1), group.add(2), group.add(3)];
  expect(batches).toHaveLength(0);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  expect(group.pending).toBe(3);
  batches[0]!.succeed();
  expect(await Promise.all(added)).toEqual([10, 20, 30]);
  await turn(1);
  expect(group.pending).toBe(0);
});

test('a full batch is committed at once', async () => {
  const { group, batches } = controlled({ maximumItems: 2, maximumWaitMilliseconds: 60_000 });
  const added = [group.add(1), group.add(2)];
  expect(batches.map(({ items }) => items)).toEqual([[1, 2]]);
  batches[0]!.succeed();
  expect(await Promise.all(added)).toEqual([10, 20]);
});

test('items added during a commit are committed as soon as it ends', async () => {
  const { group, batches } = controlled({ maximumWaitMilliseconds: 1 });
  const first = group.add(1);
  await turn();
  const others = [group.add(2), group.add(3)];
  await turn();
  expect(batches).toHaveLength(1);
  batches[0]!.succeed();
  await first;
  await turn(1);
  expect(batches[1]?.items).toEqual([2, 3]);
  batches[1]!.succeed();
  expect(await Promise.all(others)).toEqual([20, 30]);
});

test('items added during a commit wait for the configured pause after it', async () => {
  const { group, batches } = controlled({
    maximumWaitMilliseconds: 1,
    pauseAfterCommitMilliseconds: 30,
    maximumItems: 4,
  });
  const first = group.add(1);
  await turn();
  const others = [group.add(2), group.add(3)];
  batches[0]!.succeed();
  await first;
  await turn(1);
  others.push(group.add(4));
  expect(batches).toHaveLength(1);
  await turn(60);
  expect(batches[1]?.items).toEqual([2, 3, 4]);
  batches[1]!.succeed();
  expect(await Promise.all(others)).toEqual([20, 30, 40]);
});

test('a full batch does not wait for the pause', async () => {
  const { group, batches } = controlled({
    maximumWaitMilliseconds: 1,
    pauseAfterCommitMilliseconds: 60_000,
    maximumItems: 2,
  });
  const first = group.add(1);
  await turn();
  const others = [group.add(2)];
  batches[0]!.succeed();
  await first;
  await turn(1);
  expect(batches).toHaveLength(1);
  others.push(group.add(3));
  expect(batches[1]?.items).toEqual([2, 3]);
  batches[1]!.succeed();
  expect(await Promise.all(others)).toEqual([20, 30]);
});

test('closing does not wait for the end of a pause', async () => {
  const { group, batches } = controlled({ maximumWaitMilliseconds: 1, pauseAfterCommitMilliseconds: 60_000 });
  const first = group.add(1);
  await turn();
  const second = group.add(2);
  batches[0]!.succeed();
  await first;
  await turn(1);
  const closed = group.close();
  expect(batches[1]?.items).toEqual([2]);
  batches[1]!.succeed();
  await closed;
  expect(await second).toBe(20);
});

test('commits run concurrently only when their batches are full', async () => {
  const { group, batches } = controlled({ maximumItems: 2, maximumInFlight: 2 });
  const added = [1, 2, 3, 4, 5].map((item) => group.add(item));
  expect(batches.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  batches[1]!.succeed();
  await added[3];
  await turn(1);
  expect(batches[2]?.items).toEqual([5]);
  batches[0]!.succeed();
  batches[2]!.succeed();
  expect(await Promise.all(added)).toEqual([10, 20, 30, 40, 50]);
});

test('a failed commit fails its items, is reported, and the next commit runs', async () => {
  const failures: unknown[][] = [];
  const { group, batches } = controlled({ onError: (...failure) => failures.push(failure) });
  const added = [group.add(1), group.add(2)];
  await turn();
  const error = new Error('away');
  batches[0]!.fail(error);
  expect((await Promise.allSettled(added)).every(({ status }) => status === 'rejected')).toBe(true);
  expect(failures).toEqual([[error, 2]]);
  const next = group.add(3);
  await turn();
  batches[1]!.succeed();
  expect(await next).toBe(30);
});

test('a bad item fails alone when its error matches splitOn', async () => {
  const group = new GroupCommit<number, number>({
    commit: (items) => (items.includes(3) ? Promise.reject(new Error('bad')) : Promise.resolve(items)),
    maximumWaitMilliseconds: 1,
    maximumItems: 10,
    maximumPending: 10,
    splitOn: (error) => (error as Error).message === 'bad',
  });
  const settled = await Promise.allSettled([1, 2, 3, 4, 5].map((item) => group.add(item)));
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true]);
});

test('items beyond the limit of pending items are refused at once', async () => {
  const { group, batches } = controlled({ maximumPending: 2 });
  const added = [group.add(1), group.add(2)];
  await expect(group.add(3)).rejects.toMatchObject({ code: 'overloaded' });
  await turn();
  batches[0]!.succeed();
  await Promise.all(added);
  await turn(1);
  const next = group.add(4);
  await turn();
  batches[1]!.succeed();
  expect(await next).toBe(40);
});

test('flush and close commit pending items; after close no item is accepted', async () => {
  const group = new GroupCommit<number, number>({
    commit: async (items) => items,
    maximumWaitMilliseconds: 60_000,
    maximumItems: 2,
    maximumPending: 100,
  });
  const flushed = [1, 2, 3].map((item) => group.add(item));
  await group.flush();
  expect(group.pending).toBe(0);
  expect(await Promise.all(flushed)).toEqual([1, 2, 3]);
  const closed = group.add(4);
  await Promise.all([group.close(), group.close()]);
  expect(await closed).toBe(4);
  await expect(group.add(5)).rejects.toMatchObject({ code: 'closed' });
});

test('a commit that omits a result fails all its items', async () => {
  const group = new GroupCommit<number, number>({
    commit: async (items) => items.slice(1),
    maximumWaitMilliseconds: 1,
    maximumItems: 10,
    maximumPending: 10,
  });
  const settled = await Promise.allSettled([group.add(1), group.add(2)]);
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
});

test('a thousand callers share few commits', async () => {
  let commits = 0;
  const group = new GroupCommit<number, number>({
    commit: async (items) => {
      commits += 1;
      await turn(2);
      return items;
    },
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 2_000,
  });
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  expect(await Promise.all(items.map((item) => group.add(item)))).toEqual(items);
  expect(commits).toBeLessThanOrEqual(6);
});
