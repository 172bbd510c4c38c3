import type { Queryable } from '@millrace/database';
import type { LimitScope } from '../../limits/limits';
import { IN_BACKLOG, RELEASED } from '../lifecycle';

/** Whether a row limits its concurrent runs. Must match the predicates of the indexes literally. */
const limits = (table: string) => `jsonb_typeof(${table}.limits -> 'concurrentRuns') = 'number'`;

/** SQL condition: the flow or user of these columns limits its concurrent runs. */
export const HAS_RUN_LIMIT = `(user_id IN (SELECT users.id FROM users WHERE ${limits('users')}) OR flow_id IN (
  SELECT flows.id FROM flows WHERE ${limits('flows')} UNION ALL
  SELECT flows.id FROM projects JOIN flows ON flows.user_id = projects.user_id AND flows.folder_id = projects.id
    WHERE ${limits('projects')}))`;

/** SQL condition: some user, project or flow limits its concurrent runs. */
export const ANY_RUN_LIMIT = `(EXISTS (SELECT FROM users WHERE ${limits('users')})
  OR EXISTS (SELECT FROM projects WHERE ${limits('projects')}) OR EXISTS (SELECT FROM flows WHERE ${limits('flows')}))`;

/** SQL: the flows that have backlog runs, by a loose index scan. */
export const WAITING_FLOWS = `waiting_flows AS (
      (SELECT user_id, pool, flow_id FROM runs WHERE ${IN_BACKLOG} ORDER BY user_id, pool, flow_id LIMIT 1)
      UNION ALL
      SELECT next.* FROM waiting_flows AS before CROSS JOIN LATERAL (
        SELECT user_id, pool, flow_id FROM runs
        WHERE ${IN_BACKLOG} AND (user_id, pool, flow_id) > (before.user_id, before.pool, before.flow_id)
        ORDER BY user_id, pool, flow_id LIMIT 1
      ) AS next
    )`;

const READ = {
  name: 'runs-read-limits',
  text: `WITH RECURSIVE ${WAITING_FLOWS}, waiting AS MATERIALIZED (
      SELECT DISTINCT waiting_flows.user_id, flow_id, folder_id FROM waiting_flows JOIN flows ON flows.id = flow_id
      WHERE pause_reason IS NULL
    ), limited AS MATERIALIZED (
      SELECT 'user' AS scope, id, id AS user_id, limits FROM users WHERE ${limits('users')}
      UNION ALL SELECT 'project', id, user_id, limits FROM projects WHERE ${limits('projects')}
      UNION ALL SELECT 'flow', id, user_id, limits FROM flows WHERE ${limits('flows')}
    )
    SELECT scope, id, user_id AS "userId",
      greatest(0, least((limits ->> 'concurrentRuns')::numeric, 1000000))::int AS maximum,
      (SELECT count(*) FROM runs WHERE runs.user_id = limited.user_id AND ${RELEASED} AND (scope = 'user'
        OR scope = 'flow' AND runs.flow_id = limited.id
        OR scope = 'project' AND runs.flow_id IN (SELECT flows.id FROM flows WHERE flows.folder_id = limited.id)))::int AS used,
      EXISTS (SELECT FROM waiting WHERE waiting.user_id = limited.user_id AND (scope = 'user'
        OR scope = 'flow' AND flow_id = limited.id OR scope = 'project' AND folder_id = limited.id)) AS "isWaiting"
    FROM limited`,
};

/** The background runs of a user, project or flow that limits its concurrent runs. */
export interface BackgroundUse {
  readonly scope: Exclude<LimitScope, 'key'>;
  readonly id: string;
  readonly userId: string;
  /** The limit, of background runs and those whose callers wait together. */
  readonly maximum: number;
  /** Released background runs. */
  readonly used: number;
  /** Whether runs wait in the backlog. */
  readonly isWaiting: boolean;
}

/**
 * Says how many more background runs each of these can start beside the runs whose callers wait. Called again with what was
 * started, where `isWaiting` asks for no more.
 */
export type ShareRunLimits = (
  uses: readonly BackgroundUse[],
  phase: 'ask' | 'note',
) => Promise<readonly number[]>;

/** Reads what background runs use of each limit. */
export async function readBackgroundUse(connection: Queryable): Promise<readonly BackgroundUse[]> {
  return (await connection.query<BackgroundUse>(READ)).rows;
}
