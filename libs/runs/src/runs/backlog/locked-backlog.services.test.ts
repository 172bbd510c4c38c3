import { RunStore } from '../../index';
import { openOnServer } from '../../testing/open-test-database';
import type { TestDatabase } from '../../testing/open-test-database';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openOnServer();
});

afterAll(() => opened?.close());

test('a count of the backlog that waits for a lock fails, and the next one is not postponed', async () => {
  const { database } = opened;
  const store = new RunStore({ database });
  const options = { intervalMilliseconds: 1, pools: ['default'] };
  await database.transaction(async (connection) => {
    await connection.query({ text: 'LOCK TABLE runs IN ACCESS EXCLUSIVE MODE' });
    await expect(store.countBacklogs(options)).rejects.toThrow(/lock/);
  });
  expect(await store.backlogCount()).toBeNull();
  expect(await store.countBacklogs(options)).toEqual([expect.objectContaining({ pool: 'default' })]);
});
