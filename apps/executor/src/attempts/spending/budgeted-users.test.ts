import { recordingLogger } from '@millrace/service/testing';
import { BudgetedUsers } from './budgeted-users';

const logger = recordingLogger();

/** Reads so many users named by their position; `undefined` fails. */
const readingUsers = (...counts: (number | undefined)[]) =>
  new BudgetedUsers({
    store: {
      users: async () => {
        const length = counts.shift();
        if (length === undefined) throw new Error('away');
        return Array.from({ length }, (_, index) => `user ${index}`);
      },
    },
    logger,
  });

test('every user counts as one with a budget before the first read, and when there are too many', async () => {
  const users = readingUsers(99_999, 100_000);
  expect(users.has('other')).toBe(true);
  await users.refresh();
  expect([users.has('user 1'), users.has('other')]).toEqual([true, false]);
  await users.refresh();
  expect(users.has('other')).toBe(true);
});

test('a read that fails leaves the users of the one before, and is logged', async () => {
  const users = readingUsers(1, undefined);
  await users.refresh();
  await users.refresh();
  expect([users.has('user 0'), users.has('other')]).toEqual([true, false]);
  expect(logger.lines).toMatchObject([
    { message: 'could not read who has budgets; those read before apply' },
  ]);
});

test('a change during a read is read after it', async () => {
  const users = readingUsers(1, 2);
  await Promise.all([users.refresh(), users.refresh()]);
  expect(users.has('user 1')).toBe(true);
});
