import { UNFINISHED_STATUSES } from './run-filter';
import type { Database, Transactional } from '@millrace/database';

/** Samples of durations of one question, whatever the number of runs. */
const MAXIMUM_SAMPLES = 20_000;
const MAXIMUM_SAMPLES_OF_A_GROUP = 200;
/** Groups whose durations are read: those with the most runs. */
const MAXIMUM_SAMPLED_GROUPS = 2_000;

/** Selects the runs of a history. */
export interface HistoryQuery {
  /** The owner; null for the runs of all users. */
  readonly userId: string | null;
  readonly flowId?: string | undefined;
  /** How far back the history goes. It begins and ends at a multiple of the interval since the epoch. */
  readonly intervals: number;
  readonly intervalSeconds: number;
}

/** The runs of one flow that were accepted in one interval. */
export interface HistoryGroup {
  readonly flowId: string;
  /** Seconds since the epoch. */
  readonly start: number;
  readonly total: number;
  /** Runs that have not ended, by state. */
  readonly accepted: number;
  readonly queued: number;
  readonly running: number;
  readonly suspended: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly dead: number;
  /** Milliseconds from the start to the end of some of the runs: a sample. */
  readonly durations: readonly number[];
}

type Counts = Omit<HistoryGroup, 'durations'>;

// Every part reads an index that has all columns it needs, or the few rows of a partial index. Aggregates keep the planner
// from joining the whole table. Only whole numbers are computed for each row: `extract` returns a numeric, which costs more
// than the rest of the row.
const INTERVAL = `date_bin($3::float8 * interval '1 second', accepted_at, timestamptz 'epoch')`;
const STARTS = `extract(epoch FROM "interval")::float8 AS start`;
const OF_FLOWS = `WHERE ($1::uuid IS NULL OR flows.user_id = $1) AND ($2::uuid IS NULL OR flows.id = $2)`;
// A flow has the failures of its owner only.
const OF_USERS = `WHERE ($1::uuid IS NULL OR users.id = $1)
  AND ($2::uuid IS NULL OR users.id = (SELECT user_id FROM flows WHERE id = $2))`;
const FROM_TIME = `to_timestamp((floor(extract(epoch FROM now()) / $3) - $4::int + 1) * $3)`;
const countOf = (status: string) =>
  `coalesce(sum(count) FILTER (WHERE status = '${status}'), 0)::int AS ${status}`;
const COUNTS = `WITH since AS MATERIALIZED (SELECT ${FROM_TIME} AS since),
  totals AS MATERIALIZED (
    SELECT flows.id AS flow_id, found.start, found.total FROM flows CROSS JOIN LATERAL (
      SELECT ${STARTS}, total FROM (
        SELECT ${INTERVAL} AS "interval", count(*)::int AS total FROM runs
        WHERE runs.flow_id = flows.id AND accepted_at >= (SELECT since FROM since) GROUP BY 1
      ) AS counted
    ) AS found ${OF_FLOWS}
  ), failures AS MATERIALIZED (
    SELECT found.*, ${STARTS} FROM users CROSS JOIN LATERAL (
      SELECT flow_id, ${INTERVAL} AS "interval",
        count(*) FILTER (WHERE status = 'failed')::int AS failed,
        count(*) FILTER (WHERE status = 'cancelled')::int AS cancelled,
        count(*) FILTER (WHERE status = 'timed_out')::int AS timed_out,
        count(*) FILTER (WHERE status = 'dead')::int AS dead
      FROM runs WHERE runs.user_id = users.id AND failure IS NOT NULL AND accepted_at >= (SELECT since FROM since)
        AND ($2::uuid IS NULL OR flow_id IS NOT DISTINCT FROM $2) GROUP BY 1, 2
    ) AS found ${OF_USERS}
  ), unfinished AS MATERIALIZED (
    SELECT flow_id, ${STARTS}, ${UNFINISHED_STATUSES.map(countOf).join(', ')} FROM (
      SELECT flow_id, ${INTERVAL} AS "interval", status, count(*) AS count FROM runs
      WHERE next_sweep_at = 'infinity' AND ($1::uuid IS NULL OR user_id = $1) AND ($2::uuid IS NULL OR flow_id = $2)
        AND accepted_at >= (SELECT since FROM since) GROUP BY 1, 2, 3
      UNION ALL
      SELECT flow_id, ${INTERVAL}, status, count(*) FROM runs
      WHERE next_sweep_at < 'infinity' AND ($1::uuid IS NULL OR user_id = $1) AND ($2::uuid IS NULL OR flow_id = $2)
        AND accepted_at >= (SELECT since FROM since) GROUP BY 1, 2, 3
    ) AS parts GROUP BY flow_id, "interval"
  )
  SELECT flow_id AS "flowId", start, total,
    ${UNFINISHED_STATUSES.map((status) => `coalesce(${status}, 0) AS ${status}`).join(', ')}, coalesce(failed, 0) AS failed,
    coalesce(cancelled, 0) AS cancelled, coalesce(timed_out, 0) AS "timedOut", coalesce(dead, 0) AS dead
  FROM totals LEFT JOIN failures USING (flow_id, start) LEFT JOIN unfinished USING (flow_id, start)`;

// The last runs of each group: the index by flow has them together.
const DURATIONS = `SELECT position::int AS position, array_agg(milliseconds) AS durations FROM (
    SELECT groups.position, found.milliseconds FROM unnest($1::uuid[], $2::float8[]) WITH ORDINALITY AS groups (flow_id, start, position)
    CROSS JOIN LATERAL (
      SELECT greatest(0, extract(epoch FROM finished_at - coalesce(started_at, accepted_at)) * 1000)::float8 AS milliseconds
      FROM runs WHERE runs.flow_id = groups.flow_id AND accepted_at >= to_timestamp(groups.start)
        AND accepted_at < to_timestamp(groups.start + $3) AND finished_at IS NOT NULL
      ORDER BY accepted_at DESC LIMIT $4
    ) AS found
  ) AS samples GROUP BY position`;

// Compiling the plan takes longer than executing it, and reading the whole table would take longest.
const PLANNING = { text: `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)` };

/**
 * Counts the runs of each flow by interval of their acceptance. Counts are exact; durations are those of the last runs
 * of each group.
 */
export function readRunHistory(
  database: Transactional,
  { userId, flowId, intervals, intervalSeconds }: HistoryQuery,
): Promise<HistoryGroup[]> {
  return database.transaction(async (connection) => {
    await connection.query(PLANNING);
    const { rows } = await connection.query<Counts>({
      text: COUNTS,
      values: [userId, flowId ?? null, intervalSeconds, intervals],
    });
    const groups = rows.toSorted((left, right) => right.total - left.total);
    const sampled = groups.slice(0, MAXIMUM_SAMPLED_GROUPS);
    if (sampled.length === 0) return [];
    const limit = Math.min(MAXIMUM_SAMPLES_OF_A_GROUP, Math.ceil(MAXIMUM_SAMPLES / sampled.length));
    const samples = await connection.query<{
      readonly position: number;
      readonly durations: readonly number[];
    }>({
      text: DURATIONS,
      values: [
        sampled.map((group) => group.flowId),
        sampled.map(({ start }) => start),
        intervalSeconds,
        limit,
      ],
    });
    const durations = new Map(samples.rows.map((row) => [row.position, row.durations]));
    return groups.map((group, index) => ({ ...group, durations: durations.get(index + 1) ?? [] }));
  });
}

/** Resolves to when the newest run of each of these flows was accepted, and its state. */
export async function readLastRuns(
  database: Pick<Database, 'query'>,
  userId: string,
): Promise<
  readonly {
    readonly flowId: string;
    readonly id: string;
    readonly status: string;
    readonly acceptedAt: Date;
  }[]
> {
  const { rows } = await database.query<{ flowId: string; id: string; status: string; acceptedAt: Date }>({
    name: 'runs-last-of-flows',
    text: `SELECT flows.id AS "flowId", last.id, last.status, last.accepted_at AS "acceptedAt"
      FROM flows CROSS JOIN LATERAL (
        SELECT id, status, accepted_at FROM runs WHERE runs.flow_id = flows.id ORDER BY accepted_at DESC LIMIT 1
      ) AS last WHERE flows.user_id = $1`,
    values: [userId],
  });
  return rows;
}
