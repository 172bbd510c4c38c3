import type { Database } from '@millrace/database';
import { IN_BACKLOG, RELEASED } from '../lifecycle';

/** A count that took long is repeated later, so that counting takes at most this part of the time. */
const MAXIMUM_SHARE = 1 / 50;
/** A count is not older, however long it took, so that the metrics of the backlog stay useful. */
const MAXIMUM_PAUSE_MILLISECONDS = 60_000;
/** A count that waits for a lock says nothing about its cost: it fails, and is repeated at the next interval. */
const LOCK_TIMEOUT_MILLISECONDS = 1_000;

/** The background runs of a pool that have not ended. */
export interface PoolBacklog {
  readonly pool: string;
  /** Runs in the backlogs of their users. */
  readonly waiting: number;
  /** Released runs that no executor has begun: queued, or between two attempts. */
  readonly published: number;
  readonly running: number;
  /** Age of the oldest run that no executor has begun; null without one. */
  readonly oldestSeconds: number | null;
}

/** The state of one queue of runs. */
export interface LaneState {
  readonly pool: string;
  readonly lane: 'interactive' | 'background' | 'standby' | 'quarantine' | 'dead';
  /** Messages that no executor has received. */
  readonly messages: number;
  /** Processes that consume from the queue. */
  readonly executors: number;
}

/** The newest count of all pools. */
export interface BacklogCount {
  readonly ageMilliseconds: number;
  /** How long counting took. */
  readonly milliseconds: number;
  readonly pools: readonly PoolBacklog[];
  /** Null until they have been read. */
  readonly lanes: readonly LaneState[] | null;
}

/** When to count, and which pools are counted also without runs and flows. */
export interface CountOptions {
  readonly intervalMilliseconds: number;
  readonly pools: readonly string[];
}

const READ = {
  name: 'backlog-read',
  text: `SELECT pools, lanes, milliseconds,
      (extract(epoch FROM now() - counted_at) * 1000)::float8 AS "ageMilliseconds" FROM backlog_counts`,
};

// One process at a time. The partial indexes have all columns of the backlog; the planner must not scan ended runs.
const TRY_LOCK = {
  name: 'backlog-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' counts runs', 0)) AS "isOurs",
    set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true), set_config('lock_timeout', '${LOCK_TIMEOUT_MILLISECONDS}', true)`,
};

const COUNT = {
  name: 'backlog-count',
  text: `WITH waiting AS MATERIALIZED (
      SELECT pool, count(*) AS waiting, min(accepted_at) AS oldest FROM runs WHERE ${IN_BACKLOG} GROUP BY pool
    ), released AS MATERIALIZED (
      SELECT pool, count(*) FILTER (WHERE status <> 'running') AS published,
        count(*) FILTER (WHERE status = 'running') AS running,
        min(accepted_at) FILTER (WHERE status <> 'running') AS oldest
      FROM runs WHERE ${RELEASED} GROUP BY pool
    ), named AS MATERIALIZED (
      SELECT pool FROM (SELECT DISTINCT readable_json(settings::text) ->> 'pool' AS pool FROM flows) AS pools WHERE pool IS NOT NULL
      UNION SELECT unnest($1::text[])
    )
    SELECT pool, coalesce(waiting, 0)::int AS waiting, coalesce(published, 0)::int AS published,
      coalesce(running, 0)::int AS running,
      CASE WHEN coalesce(waiting.oldest, released.oldest) IS NOT NULL
        THEN greatest(0, extract(epoch FROM now() - least(waiting.oldest, released.oldest)))::float8 END AS "oldestSeconds"
    FROM waiting FULL JOIN released USING (pool) FULL JOIN named USING (pool) ORDER BY pool`,
};

const STORE = {
  name: 'backlog-store',
  text: `INSERT INTO backlog_counts (counted_at, milliseconds, pools, lanes) VALUES (now(), $1, $2, NULL)
    ON CONFLICT (only_row) DO UPDATE SET counted_at = now(), milliseconds = $1, pools = $2`,
};

/** Reads the newest count; null before the first one. */
export async function readBacklogCount(database: Database): Promise<BacklogCount | null> {
  const { rows } = await database.query<BacklogCount>(READ);
  return rows[0] ?? null;
}

/** Whether it is time to count again. */
export function isCountDue(count: BacklogCount | null, intervalMilliseconds: number): boolean {
  if (count === null) return true;
  const pause = Math.min(count.milliseconds / MAXIMUM_SHARE, MAXIMUM_PAUSE_MILLISECONDS);
  return count.ageMilliseconds >= Math.max(intervalMilliseconds, pause);
}

/**
 * Counts the background runs of each pool, unless a count is newer than the interval or another process counts. Resolves
 * to the pools that were counted, else to null. Pools of flows are counted also without runs.
 */
export function countBacklogs(
  database: Database,
  { intervalMilliseconds, pools }: CountOptions,
): Promise<readonly PoolBacklog[] | null> {
  return database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    if (lock.rows[0]?.isOurs !== true) return null;
    const [count = null] = (await connection.query<BacklogCount>(READ)).rows;
    if (!isCountDue(count, intervalMilliseconds)) return null;
    const started = performance.now();
    const { rows } = await connection.query<PoolBacklog>({ ...COUNT, values: [pools] });
    const milliseconds = Math.ceil(performance.now() - started);
    await connection.query({ ...STORE, values: [milliseconds, JSON.stringify(rows)] });
    return rows;
  });
}

/** Stores the state of the lanes beside the newest count. */
export async function storeLanes(database: Database, lanes: readonly LaneState[]): Promise<void> {
  const text = 'UPDATE backlog_counts SET lanes = $1';
  await database.query({ name: 'backlog-lanes', text, values: [JSON.stringify(lanes)] });
}
