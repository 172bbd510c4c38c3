import { integerArray, textArray, uuidArray } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { flowSetting } from '../../flows/flow-setting';
import { ACCEPTED_GRACE, PUBLISHED, RELEASED, IN_BACKLOG } from '../lifecycle';
import type { PublishedRun } from '../swept-run';
import { ANY_RUN_LIMIT, readBackgroundUse, WAITING_FLOWS } from './run-limits';
import type { BackgroundUse, ShareRunLimits } from './run-limits';
import { IS_LIMITED } from './trigger-limit';

// The backlogs of paused flows do not count: nothing is released of them. The order within makes the planner read the index of backlogs,
// also when its statistics are of a time with long ones.
const HAS_BACKLOG = {
  name: 'runs-has-backlog',
  text: `WITH RECURSIVE ${WAITING_FLOWS} SELECT EXISTS (SELECT FROM waiting_flows WHERE NOT EXISTS (
      SELECT FROM flows WHERE flows.id = flow_id AND pause_reason IS NOT NULL)) AS "hasBacklog", ${ANY_RUN_LIMIT} AS "hasLimits"`,
};

// One process at a time, because two would release twice as many runs. Estimates for a long backlog make the planner
// compile the statement, which takes a hundred times as long as running it, or scan the whole table, including ended
// runs, although an index covers the few relevant rows.
const TRY_LOCK = {
  name: 'runs-release-lock',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' advances runs', 0)) AS "isOurs",
    set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`,
};

/** Runs of one flow with triggers that a release inspects: each can belong to a trigger that has no room. */
const MAXIMUM_INSPECTED = 5_000;

/**
 * The limit of a flow in SQL; null without one. A limit that is not a number, which no service stores, is none: it must not keep
 * the runs of others.
 */
export const FLOW_CONCURRENCY = `(SELECT CASE WHEN jsonb_typeof(concurrency) = 'number'
    THEN greatest(0, least(concurrency::numeric, 1000000))::int END
  FROM (SELECT ${flowSetting('concurrency')} AS concurrency) AS stored)`;

/** How many runs of a project start in each turn of the projects of its user; only numbers are stored, as of limits. */
const WEIGHT = `coalesce((SELECT greatest(1, least((limits ->> 'weight')::numeric, 100))::int FROM projects
  WHERE projects.id = flows.folder_id AND jsonb_typeof(limits -> 'weight') = 'number'), 1)`;

// Selects, in this order: the flows with backlog runs, by a loose index scan; for each user and pool the room that is
// left; for each flow the runs that its own limit and those of its triggers allow; of those the oldest of each user, one user after another,
// and of a user one project after another, each as many as its weight, counting those of its runs that are released and have not ended: most
// releases have room for one run. The materialized parts would otherwise be computed again for each
// backlog run.
const SELECT_RELEASABLE = {
  name: 'runs-select-releasable',
  text: `WITH RECURSIVE ${WAITING_FLOWS}, shares AS MATERIALIZED (
      SELECT * FROM unnest($3::text[], $4::uuid[], $5::int[]) AS shares (scope, id, room)
    ), tenants AS MATERIALIZED (
      SELECT user_id, pool, CASE WHEN $1 = 0 THEN $2 ELSE $1 - (SELECT count(*) FROM (
          SELECT FROM runs WHERE runs.user_id = named.user_id AND runs.pool = named.pool AND ${PUBLISHED} LIMIT $1
        ) AS ahead) END AS room
      FROM (SELECT DISTINCT user_id, pool FROM waiting_flows) AS named
    ), rooms AS MATERIALIZED (
      SELECT waiting_flows.*, flows.folder_id, ${WEIGHT} AS weight, tenants.room AS tenant_room, least((SELECT min(shares.room) FROM shares
          WHERE scope = 'user' AND id = waiting_flows.user_id OR scope = 'flow' AND id = waiting_flows.flow_id
            OR scope = 'project' AND id = flows.folder_id), CASE
          WHEN flow_limits.concurrency IS NULL THEN tenants.room
          ELSE greatest(0, least(tenants.room, flow_limits.concurrency - (
            SELECT count(*) FROM runs WHERE runs.user_id = waiting_flows.user_id AND runs.pool = waiting_flows.pool
              AND runs.flow_id = waiting_flows.flow_id AND ${RELEASED}))) END) AS room
      FROM waiting_flows JOIN tenants USING (user_id, pool) LEFT JOIN flows ON flows.id = waiting_flows.flow_id
      CROSS JOIN LATERAL (
        SELECT CASE WHEN flows.pause_reason IS NOT NULL THEN 0 ELSE ${FLOW_CONCURRENCY} END AS concurrency) AS flow_limits
    ), trigger_rooms AS MATERIALIZED (
      SELECT triggers.id, triggers.flow_id, greatest(0, triggers.concurrency_limit - (
          SELECT count(*) FROM runs JOIN trigger_events ON trigger_events.run_id = runs.id
          WHERE runs.user_id = triggers.user_id AND runs.flow_id = triggers.flow_id AND ${RELEASED}
            AND trigger_events.trigger_id = triggers.id)) AS room
      FROM triggers WHERE triggers.flow_id IN (SELECT flow_id FROM waiting_flows) AND ${IS_LIMITED}
    ), allowed AS (
      SELECT rooms.*, next.id, next.accepted_at FROM rooms CROSS JOIN LATERAL (
        SELECT id, accepted_at FROM runs WHERE ${IN_BACKLOG} AND runs.user_id = rooms.user_id
          AND runs.pool = rooms.pool AND runs.flow_id = rooms.flow_id
        ORDER BY accepted_at LIMIT rooms.room
      ) AS next
      WHERE rooms.flow_id NOT IN (SELECT flow_id FROM trigger_rooms)
      UNION ALL
      SELECT rooms.*, next.id, next.accepted_at FROM rooms CROSS JOIN LATERAL (
        SELECT id, accepted_at FROM (
          SELECT oldest.id, oldest.accepted_at, trigger_rooms.room AS trigger_room, row_number() OVER (
              PARTITION BY trigger_rooms.id ORDER BY oldest.accepted_at, oldest.id) AS trigger_place
          FROM (
            SELECT id, accepted_at FROM runs WHERE ${IN_BACKLOG} AND runs.user_id = rooms.user_id
              AND runs.pool = rooms.pool AND runs.flow_id = rooms.flow_id
            ORDER BY accepted_at LIMIT ${MAXIMUM_INSPECTED}
          ) AS oldest
          LEFT JOIN trigger_events ON trigger_events.run_id = oldest.id
          LEFT JOIN trigger_rooms ON trigger_rooms.id = trigger_events.trigger_id
        ) AS placed
        WHERE trigger_room IS NULL OR trigger_place <= trigger_room
        ORDER BY accepted_at LIMIT rooms.room
      ) AS next
      WHERE rooms.flow_id IN (SELECT flow_id FROM trigger_rooms)
    ), ahead AS MATERIALIZED (
      SELECT several.user_id, several.pool, flows.folder_id, count(*) AS runs
      FROM (SELECT user_id, pool FROM rooms GROUP BY user_id, pool HAVING count(DISTINCT coalesce(folder_id, user_id)) > 1) AS several
      JOIN runs ON runs.user_id = several.user_id AND runs.pool = several.pool AND ${RELEASED}
      LEFT JOIN flows ON flows.id = runs.flow_id GROUP BY several.user_id, several.pool, flows.folder_id
    ), turns AS (
      SELECT allowed.*, (coalesce(ahead.runs, 0) - 1 + row_number() OVER (
          PARTITION BY allowed.user_id, allowed.pool, allowed.folder_id ORDER BY accepted_at, allowed.id)) / weight AS turn
      FROM allowed LEFT JOIN ahead ON ahead.user_id = allowed.user_id AND ahead.pool = allowed.pool
        AND ahead.folder_id IS NOT DISTINCT FROM allowed.folder_id
    ), chosen AS (
      SELECT id, user_id, flow_id, folder_id, tenant_room, row_number() OVER (PARTITION BY user_id, pool ORDER BY turn, accepted_at, id) AS place
      FROM turns
    )
    SELECT id, user_id AS "user", flow_id AS flow, folder_id AS project FROM chosen WHERE place <= tenant_room ORDER BY place LIMIT $2`,
};

// Without runs that another session locks: they must not keep those of other users. By id alone: with a hundred thousand backlog runs the planner would scan all of them.
const RELEASE = {
  name: 'runs-release-backlog',
  text: `UPDATE runs SET next_sweep_at = now() + ${ACCEPTED_GRACE} WHERE id = ANY(ARRAY(
      SELECT id FROM runs WHERE id = ANY($1::uuid[]) AND ${IN_BACKLOG} FOR NO KEY UPDATE SKIP LOCKED))
    RETURNING id, attempt, lane, pool, flow_id AS "flowId", flow_version AS "flowVersion", user_id AS "userId", traceparent, status`,
};

/** Limits of one release. */
export interface ReleaseLimits {
  /** Maximum number of a user's runs in one pool that are published but not begun; 0 for no limit. */
  readonly publishedPerUser: number;
  /** Maximum number of runs in one call. */
  readonly limit: number;
  /** Shares the limits of concurrent runs with the runs whose callers wait; background runs alone keep to them unless given. */
  readonly share?: ShareRunLimits;
}

export interface BacklogRelease {
  /** The caller must publish a message for each. */
  readonly runs: PublishedRun[];
  /** Whether backlogs still contain runs. */
  readonly hasMore: boolean;
}

interface FoundBacklog {
  readonly hasBacklog: boolean;
  readonly hasLimits: boolean;
}

interface ChosenRow {
  readonly id: string;
  readonly user: string;
  readonly project: string | null;
  readonly flow: string;
}

/** Whether all limits of a run have room, which it then takes. */
function takeRoom(left: Map<string, number>, { user, project, flow }: ChosenRow): boolean {
  const limited = [user, project ?? '', flow].filter((id) => left.has(id));
  if (limited.some((id) => (left.get(id) ?? 0) <= 0)) return false;
  for (const id of limited) left.set(id, (left.get(id) ?? 0) - 1);
  return true;
}

type ReleasedRow = PublishedRun & { readonly status: string };

/** See RunStore.releaseBacklog. */
export async function releaseBacklog(database: Database, limits: ReleaseLimits): Promise<BacklogRelease> {
  const found = await readBacklog(database);
  if (!found.hasBacklog && !found.hasLimits) return { runs: [], hasMore: false };
  const runs = await database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    return lock.rows[0]?.isOurs === true ? releaseShared(connection, limits, found) : null;
  });
  // Another process releases runs right now.
  if (runs === null) return { runs: [], hasMore: false };
  return { runs, hasMore: (await readBacklog(database)).hasBacklog };
}

/** Releases runs, within the limits of concurrent runs. */
async function releaseShared(
  connection: Queryable,
  limits: ReleaseLimits,
  { hasBacklog, hasLimits }: FoundBacklog,
): Promise<PublishedRun[]> {
  if (!hasLimits) return releaseSelected(connection, limits, new Map());
  const { share = keepToLimits } = limits;
  const uses = await readBackgroundUse(connection);
  const rooms = await share(uses, 'ask');
  const left = new Map(uses.map(({ id }, index) => [id, rooms[index] ?? 0]));
  const shares = uses.map(({ scope, id }) => ({ scope, id }));
  const runs = hasBacklog ? await releaseSelected(connection, limits, left, shares) : [];
  const noted = uses.map((use, index) => {
    const released = (rooms[index] ?? 0) - (left.get(use.id) ?? 0);
    return { ...use, used: use.used + released };
  });
  if (uses.some(({ isWaiting }) => isWaiting)) await share(noted, 'note');
  return runs;
}

async function keepToLimits(uses: readonly BackgroundUse[]): Promise<readonly number[]> {
  return uses.map(({ maximum, used }) => Math.max(0, maximum - used));
}

/** Releases the runs for which there is room, and takes it from `left`, by id of user, project or flow. */
async function releaseSelected(
  connection: Queryable,
  { publishedPerUser, limit }: ReleaseLimits,
  left: Map<string, number>,
  shares: readonly Pick<BackgroundUse, 'scope' | 'id'>[] = [],
): Promise<PublishedRun[]> {
  const chosen = await connection.query<ChosenRow>({
    ...SELECT_RELEASABLE,
    values: [
      publishedPerUser,
      limit,
      textArray(shares.map(({ scope }) => scope)),
      uuidArray(shares.map(({ id }) => id)),
      integerArray(shares.map(({ id }) => left.get(id) ?? 0)),
    ],
  });
  const ids = chosen.rows.filter((row) => takeRoom(left, row)).map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows } = await connection.query<ReleasedRow>({ ...RELEASE, values: [ids] });
  const accepted = rows.filter(({ status }) => status === 'accepted');
  const byId = new Map(accepted.map(({ status: _status, ...run }) => [run.id, run]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Counts a user's backlog runs, at most up to `upTo`. */
export async function countBacklog(database: Database, userId: string, upTo: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    name: 'runs-count-backlog',
    text: `SELECT count(*)::int AS count FROM (
      SELECT FROM runs WHERE user_id = $1 AND ${IN_BACKLOG} ORDER BY pool, flow_id LIMIT $2) AS waiting`,
    values: [userId, upTo],
  });
  return rows[0]?.count ?? 0;
}

async function readBacklog(database: Database): Promise<FoundBacklog> {
  const { rows } = await database.query<FoundBacklog>(HAS_BACKLOG);
  return rows[0] ?? { hasBacklog: false, hasLimits: false };
}
