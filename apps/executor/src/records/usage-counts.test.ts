import type { EndedUse, UsageCount } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { UsageCounts } from './usage-counts';

const logger = createLogger({ name: 'usage-counts-test', level: 'silent' });

function run(model: string, userId = 'user'): EndedUse {
  const models = [
    { provider: 'p', model, calls: 1, inputTokens: 1, outputTokens: 1, cost: null, unpricedCalls: 1 },
  ];
  const usage = { calls: 1, inputTokens: 1, outputTokens: 1, cost: null, unpricedCalls: 1, models };
  const times = { waitingMilliseconds: 1, runningMilliseconds: 1 };
  return { userId, flowId: 'flow', keyId: null, pool: 'default', status: 'failed', usage, ...times };
}

test('counts of equal runs are one row, and an author cannot make rows without end by names of models', async () => {
  const stored: UsageCount[] = [];
  const counts = new UsageCounts({
    runs: { countUsage: async (rows) => void stored.push(...rows) },
    logger,
    onLost: () => undefined,
  });
  for (let index = 0; index < 200; index += 1) counts.add(run(`model ${index}`));
  counts.add(run('x'.repeat(1_000), 'another user'));
  await counts.close();
  const own = stored.filter(({ userId }) => userId === 'user');
  expect(own).toHaveLength(52);
  expect(own.find(({ model }) => model === '')).toMatchObject({ runs: 200, failures: 200, calls: 0 });
  expect(own.find(({ model }) => model === 'other')).toMatchObject({ provider: 'other', calls: 150 });
  expect(stored.find(({ userId }) => userId !== 'user' && userId)).toBeDefined();
  expect(Math.max(...stored.map(({ model }) => model.length))).toBe(200);
});

test('counts that could not be stored are added to those of the next time', async () => {
  const stored: UsageCount[] = [];
  let isDown = true;
  const counts = new UsageCounts({
    runs: {
      countUsage: async (rows) => {
        if (isDown) throw new Error('the database is down');
        stored.push(...rows);
      },
    },
    logger,
    onLost: () => undefined,
  });
  counts.add(run('a'));
  await counts.close();
  isDown = false;
  counts.add(run('a'));
  await counts.close();
  expect(stored.map(({ model, runs }) => [model, runs])).toEqual([
    ['', 2],
    ['a', 2],
  ]);
});

test('runs beyond 5,000 different counts are lost and reported, without their models', async () => {
  const stored: UsageCount[] = [];
  const lost: number[] = [];
  const counts = new UsageCounts({
    runs: { countUsage: async (rows) => void stored.push(...rows) },
    logger,
    onLost: (count) => lost.push(count),
  });
  // Two counts of each: of the run, and of its model.
  for (let index = 0; index < 2_501; index += 1) counts.add(run('a', `user ${index}`));
  counts.add(run('a', 'user 0'));
  await counts.close();
  expect([stored.length, lost]).toEqual([5_000, [1, 0]]);
  expect(stored[0]).toMatchObject({ userId: 'user 0', runs: 2 });
});
