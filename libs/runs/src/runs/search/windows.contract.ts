import { randomUUID } from 'node:crypto';
import type { FlowRecord } from '../../flows/flow-record';
import type { TestDatabase } from '../../testing/open-test-database';
import { makeFlow } from '../../testing/test-parts';
import { RunStore } from '../run-store';
import { positionOf, searchRuns } from './find-runs';
import type { RunFilter, RunPosition } from './run-filter';
import { POSITION_COLUMN } from './run-search';
import type { RunSearch } from './run-search';
import { boundedSearch } from './windows';

const RUNS = 30_000;
/** One run of this many asks for the model. */
const EVERY = 6_000;

/** Contract for filters that few runs have and no index, on any database. */
export function describeSearchWindows(name: string, open: () => TestDatabase): void {
  describe(`search in windows (${name})`, () => {
    /** Inserts runs that are so far apart, and returns the ids of those with the key, the newest first. */
    const insert = async (flow: FlowRecord, keyId: string, apart: number, lag: number) => {
      const { rows } = await open().database.query<{ id: string | null }>({
        text: `INSERT INTO runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at,
            finished_at, durable, status, lane, origin, pool, session_id, key_id)
          SELECT (lpad(to_hex((extract(epoch FROM time) * 1000)::bigint - $7), 12, '0') || substr(md5(n::text), 1, 20))::uuid,
            $1::uuid, $2, 1, 1, 1, time, time, false, 'succeeded', 'interactive', 'run', 'default', $1::text,
            CASE WHEN n % $5 = 0 THEN $4::uuid END
          FROM (SELECT n, now() - n::bigint * $6::int * interval '1 ms' AS time FROM generate_series(1, $3::int) AS n) AS made
          RETURNING CASE WHEN key_id IS NOT NULL THEN id END AS id`,
        values: [flow.id, flow.userId, RUNS, keyId, EVERY, apart, lag],
      });
      return rows
        .flatMap(({ id }) => id ?? [])
        .toSorted()
        .toReversed();
    };

    test.each([
      ['seldom', 97_000, 0],
      ['often', 10, 0],
      ['by a clock that is ten minutes late', 97_000, 600_000],
    ])(
      'finds each run once, in pages that read few others: accepted %s',
      async (_, apart, lag) => {
        const flow = await makeFlow(open().database);
        const keyId = randomUUID();
        const expected = await insert(flow, keyId, apart, lag);
        const columns = `runs.id, runs.accepted_at AS "acceptedAt", ${POSITION_COLUMN}`;
        const filters: RunFilter[] = [
          { userId: flow.userId, keyId },
          { userId: null, keyId },
          { userId: null, flowId: flow.id, keyId },
          {
            userId: flow.userId,
            keyId,
            acceptedFrom: new Date(0),
            acceptedBefore: new Date(Date.now() + 60_000),
          },
        ];
        for (const filter of filters) {
          const found: string[] = [];
          let after: RunPosition | null = null;
          let pages = 0;
          do {
            const search: RunSearch = {
              filter,
              columns,
              order: 'newest first',
              limit: 2,
              after: after ?? undefined,
            };
            const bounded = await boundedSearch(open().database, search);
            const all = { ...bounded.search, filter: { ...filter, keyId: undefined }, limit: RUNS };
            expect((await searchRuns(open().database, all)).rows.length).toBeLessThan(10_000);
            const { rows } = await searchRuns<RunPosition>(open().database, bounded.search);
            found.push(...rows.map(({ id }) => id));
            after = rows.length === search.limit ? positionOf(rows.at(-1)) : bounded.stoppedAt;
            // A cursor has at most sixteen digits.
            if (after !== null) expect(after.acceptedAtMicroseconds).toBeLessThan(1e16);
            pages += 1;
          } while (after !== null);
          expect(found).toEqual(expected);
          expect(pages).toBeGreaterThan(3);
          expect(pages).toBeLessThan(30);
        }
      },
      60_000,
    );

    test('lists them in pages of which each but the last has a next one, also of a few runs', async () => {
      const flow = await makeFlow(open().database);
      const keyId = randomUUID();
      const expected = await insert(flow, keyId, 1_000, 0);
      const store = new RunStore({ database: open().database });
      const found: string[] = [];
      let after: RunPosition | undefined;
      do {
        const { runs, next } = await store.list({ userId: flow.userId, keyId }, { limit: 2, after });
        found.push(...runs.map(({ id }) => id));
        after = next ?? undefined;
      } while (after !== undefined);
      expect(found).toEqual(expected);
      // By the id of the last run, as before there were positions.
      const older = await store.list({ userId: flow.userId, keyId }, { limit: 50, before: expected[0] });
      expect(older.runs.map(({ id }) => id)).toEqual(expected.slice(1, 1 + older.runs.length));
      // A run of another user is as an unknown one.
      const other = await makeFlow(open().database);
      await insert(other, randomUUID(), 1_000, 0);
      for (const before of [expected[0], randomUUID()])
        expect(await store.list({ userId: other.userId, keyId }, { limit: 50, before })).toEqual({
          runs: [],
          next: null,
        });
      // Refused by the database as it is.
      const nul = { userId: flow.userId, keyId, pool: 'a\u0000b' };
      expect(await store.list(nul, { limit: 2 })).toEqual({ runs: [], next: null });
      const few = await makeFlow(open().database);
      expect(await store.list({ userId: few.userId, keyId }, { limit: 2 })).toEqual({ runs: [], next: null });
    }, 60_000);
  });
}
