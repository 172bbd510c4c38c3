import type { Database, Queryable, Statement, Transactional } from '@millrace/database';
import type { FlowRecord } from '../flows/flow-record';
import { RunStore } from './run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, newRun } from '../testing/test-parts';
import { readWaitingFacts } from './backlog/waiting-runs';
import { searchRuns } from './search/find-runs';

const MANY_RUNS = 20_000;
const IN_FLIGHT = 900;

/** Contract for the plans of statements while the statistics of the table are old, on any database. */
export function describeStatementPlans(name: string, open: () => TestDatabase): void {
  describe(`plans of statements (${name})`, () => {
    const store = () => new RunStore({ database: open().database });

    test('accepting runs and looking for a backlog scan no table after many runs were in flight', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      // A third waits, a third is published: as the statistics of the first minute of an installation can have it.
      await insertRuns(database, flow, IN_FLIGHT, `(ARRAY[NULL, now(), 'infinity'])[n % 3 + 1]`);
      await database.query({ text: 'ANALYZE runs' });
      await database.query({
        text: 'UPDATE runs SET next_sweep_at = NULL WHERE user_id = $1',
        values: [flow.userId],
      });
      await insertRuns(database, flow, MANY_RUNS);
      const plans: Plan[] = [];
      const explained = new RunStore({ database: explaining(database, plans) });
      // The plan does not depend on what the statement would find.
      await explained.admit([newRun(flow)], { publishedPerUser: 250 }).catch(() => undefined);
      await explained.countBacklog(flow.userId, 100);
      await explained.countWaiting({ scope: 'flow', id: flow.id, userId: flow.userId }, 100);
      await explained.releaseBacklog({ publishedPerUser: 250, limit: 100 });
      const asked = { ids: [crypto.randomUUID()], userId: flow.userId, publishedPerUser: 250 };
      await readWaitingFacts(explaining(database, plans), asked);
      expect(plans.length).toBeGreaterThanOrEqual(5);
      expect(plans.flatMap((plan) => scannedTables(plan))).not.toContain('runs');
    });

    test('a list of the newest runs reads few rows, also when the statistics of the table are old', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      await insertRuns(database, flow, MANY_RUNS);
      const found = await database.query<{ projectId: string }>({
        text: 'SELECT folder_id AS "projectId" FROM flows WHERE id = $1',
        values: [flow.id],
      });
      const projectId = found.rows[0]?.projectId;
      const plans: Plan[] = [];
      const explained = explaining(database, plans, 'EXPLAIN (ANALYZE, FORMAT JSON)');
      for (const filter of [{}, { flowId: flow.id }, { sessionId: 's' }, { projectId }])
        await searchRuns(explained, {
          filter: { userId: flow.userId, ...filter },
          columns: 'runs.id, runs.accepted_at AS "acceptedAt"',
          order: 'newest first',
          limit: 10,
        });
      const rowsRead = plans
        .filter((plan) => scannedTables(plan, 'Index Scan').includes('runs'))
        .map(mostRows);
      expect(rowsRead).toHaveLength(4);
      for (const rows of rowsRead) expect(rows).toBeLessThan(MANY_RUNS / 10);
    });

    test('a code that no run has is looked for without reading other failures, also where few runs fail', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      await insertRuns(database, flow, MANY_RUNS);
      await database.query({
        text: `UPDATE runs SET status = 'failed', failure = '{"code":"component_failed"}'
          WHERE user_id = $1 AND accepted_at > (SELECT max(accepted_at) FROM runs WHERE user_id = $1) - interval '50 ms'`,
        values: [flow.userId],
      });
      await database.query({ text: 'ANALYZE runs' });
      const plans: Plan[] = [];
      const explained = explaining(database, plans, 'EXPLAIN (ANALYZE, FORMAT JSON)');
      for (const filter of [{ errorCode: 'internal' }, { statuses: ['dead'] as const }])
        await searchRuns(explained, {
          filter: { userId: flow.userId, ...filter },
          columns: 'runs.id, runs.accepted_at AS "acceptedAt"',
          order: 'newest first',
          limit: 10,
        });
      expect(plans.map(mostRows)).toEqual([0, 0]);
    });

    test('the dead runs of a flow are found without reading its other failures or its runs that succeeded', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      await insertRuns(database, flow, MANY_RUNS);
      await database.query({
        text: `UPDATE runs SET status = 'failed', failure = '{"code":"component_failed"}'
          WHERE user_id = $1 AND accepted_at < now() - interval '10 seconds'`,
        values: [flow.userId],
      });
      await database.query({ text: 'ANALYZE runs' });
      const plans: Plan[] = [];
      const explained = explaining(database, plans, 'EXPLAIN (ANALYZE, FORMAT JSON)');
      for (const userId of [flow.userId, null])
        await searchRuns(explained, {
          filter: { userId, flowId: flow.id, statuses: ['dead'] },
          columns: 'runs.id, runs.accepted_at AS "acceptedAt"',
          order: 'newest first',
          limit: 10,
        });
      expect(plans).toHaveLength(2);
      for (const plan of plans) expect(mostRows(plan)).toBeLessThan(MANY_RUNS / 100);
    });

    test('statistics are renewed once the table has grown to a multiple of its size', async () => {
      const { database } = open();
      const flow = await makeFlow(database);
      const known = async () => {
        const { rows } = await database.query<{ rows: number }>({
          text: `SELECT reltuples::int AS rows FROM pg_class WHERE oid = to_regclass('runs')`,
        });
        return rows[0]?.rows ?? 0;
      };
      // An empty table has no statistics, and autovacuum must not analyze it first.
      await database.query({ text: 'ALTER TABLE runs SET (autovacuum_enabled = false)' });
      await database.query({ text: 'TRUNCATE runs CASCADE' });
      expect(await store().renewStatistics()).toBe(false);
      await insertRuns(database, flow, MANY_RUNS);
      expect(await store().renewStatistics()).toBe(true);
      expect(await known()).toBeGreaterThan(MANY_RUNS / 2);
      expect(await store().renewStatistics()).toBe(false);
      await database.query({ text: 'ALTER TABLE runs RESET (autovacuum_enabled)' });
    }, 60_000);
  });
}

/** Inserts runs of one session that have ended, unless `nextSweepAt` says when they are swept. */
async function insertRuns(
  database: Queryable,
  flow: FlowRecord,
  count: number,
  nextSweepAt = 'NULL',
): Promise<void> {
  await database.query({
    text: `INSERT INTO runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at,
        finished_at, durable, status, lane, origin, pool, session_id, next_sweep_at)
      SELECT gen_random_uuid(), $1, $2, 1, 1, 1, now() - n * interval '1 ms', now(), false, 'succeeded', 'background',
        'webhook', 'default', 's', ${nextSweepAt} FROM generate_series(1, $3) AS n`,
    values: [flow.id, flow.userId, count],
  });
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Plan[];
}

/** Returns the greatest number of rows that a part of the plan has read. */
function mostRows(plan: Plan): number {
  const read = (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0);
  const rows = read * (plan['Actual Loops'] ?? 0);
  return Math.max(rows, ...(plan.Plans ?? []).map(mostRows));
}

/** Returns the tables that the plan reads in this way. */
function scannedTables(plan: Plan, type = 'Seq Scan'): string[] {
  const own = plan['Node Type'] === type ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap((part) => scannedTables(part, type))];
}

/** Returns the database with statements about runs that are explained in place of their results, which are empty. */
function explaining(database: Database, plans: Plan[], explain = 'EXPLAIN (FORMAT JSON)'): Database {
  const explained = (connection: Queryable): Queryable => ({
    query: async <Row>(statement: Statement) => {
      if (!/\bruns\b/.test(statement.text) || statement.text.includes('advisory'))
        return connection.query<Row>(statement);
      const { rows } = await connection.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>({
        text: `${explain} ${statement.text}`,
        ...(statement.values === undefined ? {} : { values: statement.values }),
      });
      for (const row of rows) plans.push(...row['QUERY PLAN'].map(({ Plan: plan }) => plan));
      return { rows: [], rowCount: 0 };
    },
  });
  const transaction: Transactional['transaction'] = (work, options) =>
    database.transaction((connection) => work(explained(connection)), options);
  return Object.assign(Object.create(database) as Database, { ...explained(database), transaction });
}
