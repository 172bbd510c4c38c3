import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FlowRecord } from '../../flows/flow-record';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow } from '../../testing/test-parts';
import { RunStore } from '../run-store';
import { searchRuns } from './find-runs';
import type { RunFilter, RunPosition } from './run-filter';
import { POSITION_COLUMN } from './run-search';
import { searchWindows } from './windows';

const RUNS = 30_000;
/** One run of this many asks for the model. */
const EVERY = 6_000;

/** Contract for filters that few runs have and no index, on any database. */
export function describeSearchWindows(name: string, open: () => TestDatabase): void {
  describe(`search in windows (${name})`, () => {
    const insert = async (flow: FlowRecord, keyId: string) => {
      const { rows } = await open().database.query<{ id: string }>({
        text: `INSERT INTO runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at,
            finished_at, durable, status, lane, origin, pool, session_id, key_id)
          SELECT (lpad(to_hex((extract(epoch FROM time) * 1000)::bigint), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
            $1::uuid, $2, 1, 1, 1, time, time, false, 'succeeded', 'interactive', 'run', 'default', $1::text,
            CASE WHEN n % $5 = 0 THEN $4::uuid END
          FROM (SELECT n, now() - n * interval '97 seconds' AS time FROM generate_series(1, $3::int) AS n) AS made
          RETURNING CASE WHEN key_id IS NOT NULL THEN id END AS id`,
        values: [flow.id, flow.userId, RUNS, keyId, EVERY],
      });
      return rows.flatMap(({ id }) => id ?? []);
    };

    test('finds each run once, whichever window a page stops at, and reads no more at once than a window has', async () => {
      const flow = await makeFlow(open().database);
      const keyId = randomUUID();
      const expected = (await insert(flow, keyId)).toSorted().toReversed();
      expect(expected).toHaveLength(RUNS / EVERY);
      const columns = `runs.id, runs.accepted_at AS "acceptedAt", ${POSITION_COLUMN}`;
      const filters: RunFilter[] = [
        { userId: flow.userId, keyId },
        { userId: null, keyId },
        { userId: null, flowId: flow.id, keyId },
      ];
      for (const filter of filters) {
        const found: string[] = [];
        let after: RunPosition | undefined;
        let pages = 0;
        do {
          const search = { filter, columns, order: 'newest first', limit: 50, after } as const;
          const page = await searchWindows(open().database, search, async (part) => {
            const { rows } = await searchRuns<RunPosition>(open().database, part);
            // So long that a page has one window.
            await delay(50);
            return rows;
          });
          found.push(...page.rows.map(({ id }) => id));
          after = page.stoppedAt;
          pages += 1;
        } while (after !== undefined);
        expect(found).toEqual(expected);
        expect(pages).toBe(2);
      }
    }, 60_000);

    test('lists them in pages that end, of which each but the last has a next one', async () => {
      const flow = await makeFlow(open().database);
      const keyId = randomUUID();
      const expected = (await insert(flow, keyId)).toSorted().toReversed();
      const store = new RunStore({ database: open().database });
      const found: string[] = [];
      let after: RunPosition | undefined;
      do {
        const { runs, next } = await store.list({ userId: flow.userId, keyId }, { limit: 2, after });
        found.push(...runs.map(({ id }) => id));
        after = next ?? undefined;
      } while (after !== undefined);
      expect(found).toEqual(expected);
      const none = await store.list({ userId: flow.userId, origin: 'webhook' }, { limit: 2 });
      expect(none.runs).toEqual([]);
    }, 60_000);
  });
}
