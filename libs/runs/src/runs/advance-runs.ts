import type { Database, Queryable } from '@millrace/database';
import { ACCEPTED_GRACE, AHEAD, ON_THEIR_WAY, WAITING } from './lifecycle';
import type { PublishedRun } from './swept-run';

const ANYBODY = {
  name: 'runs-anybody-waits',
  text: `SELECT EXISTS (SELECT FROM runs WHERE ${WAITING}) AS waits`,
};

// One process at a time has its turn, so that counts are right: two would let twice as many go. What the planner guesses
// of a long line makes it compile the statement, which takes a hundred times as long as running it, or read the whole
// table, ended runs and all, where an index knows the few that count.
const TURN = {
  name: 'runs-advance-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' advances runs', 0)) AS "isOurs",
    set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`,
};

// The flows whose runs wait, by hopping over the index from one to the next; of each tenant in each pool the room that
// is left; of each flow as many as its own limit lets through; of those the oldest of each tenant, tenants in turns. What
// is materialized would be counted again for each run that waits.
const CHOOSE = {
  name: 'runs-choose',
  text: `WITH RECURSIVE waiting_flows AS (
      (SELECT user_id, pool, flow_id FROM runs WHERE ${WAITING} ORDER BY user_id, pool, flow_id LIMIT 1)
      UNION ALL
      SELECT next.* FROM waiting_flows AS before CROSS JOIN LATERAL (
        SELECT user_id, pool, flow_id FROM runs
        WHERE ${WAITING} AND (user_id, pool, flow_id) > (before.user_id, before.pool, before.flow_id)
        ORDER BY user_id, pool, flow_id LIMIT 1
      ) AS next
    ), tenants AS MATERIALIZED (
      SELECT user_id, pool, CASE WHEN $1 = 0 THEN $2 ELSE $1 - (SELECT count(*) FROM (
          SELECT FROM runs WHERE runs.user_id = named.user_id AND runs.pool = named.pool AND ${AHEAD} LIMIT $1
        ) AS ahead) END AS room
      FROM (SELECT DISTINCT user_id, pool FROM waiting_flows) AS named
    ), rooms AS MATERIALIZED (
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
    )
    SELECT id FROM chosen WHERE place <= tenant_room ORDER BY place LIMIT $2`,
};

// By id alone: beside a hundred thousand that wait, the planner would look at all of them.
const LET_GO = {
  name: 'runs-let-go',
  text: `UPDATE runs SET next_sweep_at = now() + ${ACCEPTED_GRACE} WHERE id = ANY($1::uuid[]) AND ${WAITING}
    RETURNING id, lane, pool, flow_id AS "flowId", flow_version AS "flowVersion", user_id AS "userId", status`,
};

/** How many may go. */
export interface AdvanceLimits {
  /** Runs of one user in one pool that may be published and not yet begun; 0 for as many as there are. */
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

type LetGoRow = PublishedRun & { readonly status: string };

/** See RunStore.advance. */
export async function advanceRuns(database: Database, limits: AdvanceLimits): Promise<Advance> {
  if (!(await anybodyWaits(database))) return { runs: [], isMoreWaiting: false };
  const runs = await database.transaction(async (connection) => {
    const turn = await connection.query<{ isOurs: boolean }>(TURN);
    return turn.rows[0]?.isOurs === true ? letGo(connection, limits) : null;
  });
  // Another process sees to it.
  if (runs === null) return { runs: [], isMoreWaiting: false };
  return { runs, isMoreWaiting: await anybodyWaits(database) };
}

async function letGo(connection: Queryable, { ahead, limit }: AdvanceLimits): Promise<PublishedRun[]> {
  const chosen = await connection.query<{ id: string }>({ ...CHOOSE, values: [ahead, limit] });
  const ids = chosen.rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows } = await connection.query<LetGoRow>({ ...LET_GO, values: [ids] });
  const accepted = rows.filter(({ status }) => status === 'accepted');
  const byId = new Map(accepted.map(({ status: _status, ...run }) => [run.id, run]));
  return ids.flatMap((id) => byId.get(id) ?? []);
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
