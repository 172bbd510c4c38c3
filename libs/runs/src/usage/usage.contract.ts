import { randomUUID } from 'node:crypto';
import { RunStore } from '../runs/run-store';
import { UserStore } from '../users/user-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { addCounts, usageCounts } from './usage-count';
import type { EndedUse } from './usage-count';
import { pruneUsage, readUsage } from './usage-store';
import type { UsageQuery } from './usage-store';

const usageOf = (model: string, tokens: number) => ({
  provider: 'openai',
  model,
  calls: 1,
  inputTokens: tokens,
  outputTokens: 1,
  cost: tokens / 1_000,
  unpricedCalls: 0,
});

/** Contract of the hourly counts of what runs used, on any database. */
export function describeUsage(name: string, open: () => TestDatabase): void {
  describe(`usage (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const ended = async (changes: Partial<EndedUse> = {}) => {
      const flow = await makeFlow(open().database);
      const use: EndedUse = {
        userId: flow.userId,
        flowId: flow.id,
        keyId: null,
        pool: 'default',
        status: 'succeeded',
        usage: null,
        waitingMilliseconds: 5,
        runningMilliseconds: 20,
        ...changes,
      };
      return { flow, use };
    };
    const read = (query: Partial<UsageQuery>) =>
      readUsage(open().database, {
        userId: null,
        from: new Date(Date.now() - 3_600_000),
        before: new Date(Date.now() + 3_600_000),
        by: [],
        limit: 100,
        ...query,
      });

    test('counts a run once, whatever the number of its models, and once for each of them', async () => {
      const models = [usageOf('small', 10), usageOf('large', 1_000)];
      const usage = { calls: 2, inputTokens: 1_010, outputTokens: 2, cost: 1.01, unpricedCalls: 0, models };
      const { flow, use } = await ended({ usage, keyId: randomUUID() });
      await store().countUsage(usageCounts(use));
      await store().countUsage(usageCounts({ ...use, usage: null, status: 'timed_out' }));
      const ofUser = { userId: flow.userId };
      const [sum] = await read(ofUser);
      expect(sum).toMatchObject({ runs: 2, failures: 1, calls: 2, inputTokens: 1_010, outputTokens: 2 });
      expect(sum).toMatchObject({
        cost: 1.01,
        waitingMilliseconds: 10,
        runningMilliseconds: 40,
        flowId: null,
      });
      expect(await read({ ...ofUser, by: ['model'] })).toMatchObject([
        { model: 'large', runs: 1, failures: 0, inputTokens: 1_000 },
        { model: 'small', runs: 1, failures: 0, inputTokens: 10 },
      ]);
      const named = await read({
        ...ofUser,
        by: ['user', 'project', 'flow', 'key', 'pool'],
        interval: 'day',
      });
      expect(named).toMatchObject([
        { flowId: flow.id, flowName: flow.name, keyId: use.keyId, keyName: null, pool: 'default', runs: 2 },
      ]);
      expect([named[0]?.username, named[0]?.projectName, named[0]?.start?.getUTCHours()]).toEqual([
        expect.any(String),
        expect.any(String),
        0,
      ]);
    });

    test('tells a key without a name from a deleted one', async () => {
      const [unnamed, deleted] = [randomUUID(), randomUUID()];
      const { flow, use } = await ended({ keyId: unnamed });
      await open().database.query({
        text: `INSERT INTO api_keys (id, user_id, prefix, key_hash, scopes) VALUES ($1, $2, 'sk-x', gen_random_uuid()::text, '{run}')`,
        values: [unnamed, flow.userId],
      });
      await store().countUsage(usageCounts(use));
      await store().countUsage(usageCounts({ ...use, keyId: deleted }));
      const rows = await read({ userId: flow.userId, by: ['key'] });
      expect(new Map(rows.map(({ keyId, keyName }) => [keyId, keyName]))).toEqual(
        new Map([
          [unnamed, ''],
          [deleted, null],
        ]),
      );
    });

    test('sums are of one user, flow and time', async () => {
      const { flow, use } = await ended();
      const other = await ended();
      await store().countUsage([...usageCounts(use), ...usageCounts(other.use)]);
      expect(await read({ userId: flow.userId, by: ['flow'] })).toMatchObject([{ flowId: flow.id, runs: 1 }]);
      expect(await read({ userId: flow.userId, flowId: other.flow.id, by: ['flow'] })).toEqual([]);
      expect(await read({ flowId: other.flow.id, by: ['user'] })).toMatchObject([
        { userId: other.flow.userId, runs: 1 },
      ]);
      expect(await read({ userId: flow.userId, before: new Date(Date.now() - 3_600_000) })).toEqual([]);
    });

    test('counts are deleted with their user, and when they are old; those of unknown users are not kept', async () => {
      const { database } = open();
      const { flow, use } = await ended();
      const [count] = usageCounts(use);
      if (count === undefined) throw new Error('a run has a count');
      await store().countUsage([addCounts(count, count), { ...count, userId: randomUUID() }]);
      await pruneUsage(database, 10);
      expect(await read({ userId: flow.userId })).toMatchObject([{ runs: 2 }]);
      await database.query({
        text: `UPDATE usage_hours SET hour = hour - interval '401 days' WHERE user_id = $1`,
        values: [flow.userId],
      });
      const before = new Date(Date.now() - 400 * 86_400_000);
      const long = { userId: flow.userId, from: new Date(0), before };
      expect(await read(long)).toHaveLength(1);
      await pruneUsage(database, 10);
      expect(await read(long)).toEqual([]);
      await store().countUsage([count]);
      await new UserStore({ database }).delete(flow.userId);
      expect(await read({ userId: flow.userId })).toEqual([]);
    });
  });
}
