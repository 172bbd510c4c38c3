import type { Database } from '@millrace/database';
import { ACCEPTED_GRACE, ON_THEIR_WAY, WAITING } from './lifecycle';
import type { PublishedRun } from './swept-run';

const ANYBODY = {
  name: 'runs-anybody-waits',
  text: `SELECT EXISTS (SELECT FROM runs WHERE ${WAITING}) AS waits`,
};

// One process at a time has its turn, so that counts are right: two would let twice as many go.
const TURN = {
  name: 'runs-advance-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' advances runs', 0)) AS "isOurs"`,
};

// The flows whose runs wait, by hopping over the index from one to the next; of each tenant in each pool the room that
// is left; of each flow as many as its own limit lets through; of those the oldest of each tenant, tenants in turns.
const ADVANCE = {
  name: 'runs-advance',
  text: `WITH RECURSIVE waiting_flows AS (
      (SELECT user_id, pool, flow_id FROM runs WHERE ${WAITING} ORDER BY user_id, pool, flow_id LIMIT 1)
      UNION ALL
      SELECT next.* FROM waiting_flows AS before CROSS JOIN LATERAL (
        SELECT user_id, pool, flow_id FROM runs
        WHERE ${WAITING} AND (user_id, pool, flow_id) > (before.user_id, before.pool, before.flow_id)
        ORDER BY user_id, pool, flow_id LIMIT 1
      ) AS next
    ), tenants AS (
      SELECT user_id, pool, $1 - (SELECT count(*) FROM (
          SELECT FROM runs WHERE runs.user_id = named.user_id AND runs.pool = named.pool AND ${ON_THEIR_WAY} LIMIT $1
        ) AS ahead) AS room
      FROM (SELECT DISTINCT user_id, pool FROM waiting_flows) AS named
    ), rooms AS (
      SELECT waiting_flows.*, tenants.room AS tenant_room, CASE
          WHEN flows.settings ->> 'concurrency' IS NULL THEN tenants.room
          ELSE greatest(0, least(tenants.room, (flows.settings ->> 'concurrency')::int - (
            SELECT count(*) FROM runs WHERE runs.user_id = waiting_flows.user_id AND runs.pool = waiting_flows.pool
              AND runs.flow_id = waiting_flows.flow_id AND ${ON_THEIR_WAY}))) END AS room
      FROM waiting_flows JOIN tenants USING (user_id, pool) LEFT JOIN flows ON flows.id = waiting_flows.flow_id
    ), chosen AS (
      SELECT next.id, tenant_room, row_number() OVER (PARTITION BY rooms.user_id, rooms.pool
          ORDER BY next.accepted_at, next.id) AS place
      FROM rooms CROSS JOIN LATERAL (
        SELECT id, accepted_at FROM runs WHERE ${WAITING} AND runs.user_id = rooms.user_id
          AND runs.pool = rooms.pool AND runs.flow_id = rooms.flow_id
        ORDER BY accepted_at LIMIT rooms.room
      ) AS next
    ), advanced AS (
      UPDATE runs SET next_sweep_at = now() + ${ACCEPTED_GRACE}
      FROM (SELECT id, place FROM chosen WHERE place <= tenant_room ORDER BY place LIMIT $2) AS named
      WHERE runs.id = named.id AND ${WAITING}
      RETURNING runs.id, runs.lane, runs.pool, runs.flow_id AS "flowId", runs.flow_version AS "flowVersion",
        runs.user_id AS "userId", runs.status, place
    )
    SELECT * FROM advanced ORDER BY place`,
};

/** How many may go. */
export interface AdvanceLimits {
  /** Runs of one user in one pool that may be on their way at a time. */
  readonly ahead: number;
  /** Runs in one call. */
  readonly limit: number;
}

export interface Advance {
  /** Each needs a message now. */
  readonly runs: PublishedRun[];
  /** Others wait still. */
  readonly isMoreWaiting: boolean;
}

type AdvancedRow = PublishedRun & { readonly status: string; readonly place: number };

/** See RunStore.advance. */
export async function advanceRuns(database: Database, { ahead, limit }: AdvanceLimits): Promise<Advance> {
  if (!(await anybodyWaits(database))) return { runs: [], isMoreWaiting: false };
  const advanced = await database.transaction(async (connection) => {
    const turn = await connection.query<{ isOurs: boolean }>(TURN);
    if (turn.rows[0]?.isOurs !== true) return null;
    return (await connection.query<AdvancedRow>({ ...ADVANCE, values: [ahead, limit] })).rows;
  });
  // Another process sees to it.
  if (advanced === null) return { runs: [], isMoreWaiting: false };
  const runs = advanced
    .filter(({ status }) => status === 'accepted')
    .map(({ status: _status, place: _place, ...run }) => run);
  return { runs, isMoreWaiting: await anybodyWaits(database) };
}

/** How many runs of a user's wait for their turn; counts to `upTo` at most. */
export async function countWaiting(database: Database, userId: string, upTo: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    name: 'runs-count-waiting',
    text: `SELECT count(*)::int AS count FROM (SELECT FROM runs WHERE user_id = $1 AND ${WAITING} LIMIT $2) AS waiting`,
    values: [userId, upTo],
  });
  return rows[0]?.count ?? 0;
}

async function anybodyWaits(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ waits: boolean }>(ANYBODY);
  return rows[0]?.waits === true;
}
