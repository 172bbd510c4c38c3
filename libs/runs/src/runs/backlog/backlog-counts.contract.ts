import { RunStore } from '../run-store';
import { isCountDue } from './count-backlogs';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow, newRun } from '../../testing/test-parts';

/** Contract of the count of the backlog, on any database. */
export function describeBacklogCounts(name: string, open: () => TestDatabase): void {
  describe(`counts of the backlog (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const expire = () => open().database.query({ text: 'DELETE FROM backlog_counts' });

    test('counts waiting, published and running runs by pool, and the age of the oldest', async () => {
      await expire();
      const flow = await makeFlow(open().database);
      const runs = Array.from({ length: 4 }, () => newRun(flow, { pool: 'counted' }));
      await store().admit(runs, { publishedPerUser: 3 });
      const published = runs.slice(0, 3).map(({ id }) => id);
      await store().markQueued(published.map((runId) => ({ runId, attempt: 0 })));
      await store().claim([{ runId: published[0] ?? '', worker: 'one', redelivered: false }]);
      await open().database.query({
        text: `UPDATE runs SET accepted_at = accepted_at - interval '90 seconds' WHERE id = $1`,
        values: [runs[3]?.id],
      });
      const counted = await store().countBacklogs({ intervalMilliseconds: 60_000, pools: ['idle'] });
      const pool = (wanted: string) => counted?.find((one) => one.pool === wanted);
      expect(pool('idle')).toEqual({
        pool: 'idle',
        waiting: 0,
        published: 0,
        running: 0,
        oldestSeconds: null,
      });
      expect(pool('counted')).toMatchObject({ running: 1 });
      expect((pool('counted')?.waiting ?? 0) + (pool('counted')?.published ?? 0)).toBe(3);
      expect(pool('counted')?.oldestSeconds).toBeGreaterThanOrEqual(90);
      expect((await store().backlogCount())?.pools).toEqual(counted);
    });

    test('does not count again within the interval, and keeps the lanes beside the count', async () => {
      await expire();
      const options = { intervalMilliseconds: 60_000, pools: ['default'] };
      expect(await store().backlogCount()).toBeNull();
      expect(await store().countBacklogs(options)).not.toBeNull();
      expect(await store().backlogCount()).toMatchObject({ lanes: null });
      const lanes = [{ pool: 'default', lane: 'interactive', messages: 3, executors: 2 }] as const;
      await store().storeLanes(lanes);
      expect(await store().countBacklogs(options)).toBeNull();
      expect(await store().backlogCount()).toMatchObject({ lanes });
      await open().database.query({
        text: `UPDATE backlog_counts SET counted_at = counted_at - interval '61 seconds'`,
      });
      expect(await store().countBacklogs(options)).not.toBeNull();
    });

    test('a count that took long is repeated later, but within a minute', () => {
      const isDue = (milliseconds: number, ageMilliseconds: number) =>
        isCountDue({ milliseconds, ageMilliseconds, pools: [], lanes: null }, 10_000);
      expect([isDue(400, 19_999), isDue(400, 20_000)]).toEqual([false, true]);
      expect([isDue(30_000, 59_999), isDue(30_000, 60_000)]).toEqual([false, true]);
    });
  });
}
