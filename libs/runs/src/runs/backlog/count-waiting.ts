import type { Database } from '@millrace/database';
import type { LimitScope } from '../../limits/limits';
import { IN_BACKLOG, PUBLISHED } from '../lifecycle';

/** Whose background runs are counted. */
export interface WaitingOf {
  readonly scope: Exclude<LimitScope, 'key'>;
  readonly id: string;
  /** The owner of the runs. */
  readonly userId: string;
}

// Reads the flows with backlog runs of the user by a loose index scan, then as many entries of the backlog as are counted, and the
// published runs of the user. The orders select nothing: without them the planner scans the table when its statistics are old.
const COUNT = {
  name: 'runs-count-waiting',
  text: `WITH RECURSIVE lines AS (
      (SELECT pool, flow_id FROM runs WHERE user_id = $1 AND ${IN_BACKLOG} ORDER BY pool, flow_id LIMIT 1)
      UNION ALL
      SELECT next.* FROM lines AS before CROSS JOIN LATERAL (
        SELECT pool, flow_id FROM runs
        WHERE user_id = $1 AND ${IN_BACKLOG} AND (pool, flow_id) > (before.pool, before.flow_id)
        ORDER BY pool, flow_id LIMIT 1
      ) AS next
    ), of_scope AS MATERIALIZED (
      SELECT id FROM flows WHERE user_id = $1 AND ($2 = 'user' OR $2 = 'flow' AND id = $3 OR $2 = 'project' AND folder_id = $3)
    )
    SELECT count(*)::int AS count FROM (
      (SELECT FROM lines CROSS JOIN LATERAL (
          SELECT FROM runs WHERE user_id = $1 AND ${IN_BACKLOG} AND runs.pool = lines.pool AND runs.flow_id = lines.flow_id
          ORDER BY accepted_at LIMIT $4
        ) AS waiting
        WHERE lines.flow_id IN (SELECT id FROM of_scope) LIMIT $4)
      UNION ALL
      (SELECT FROM (
          SELECT flow_id FROM runs WHERE user_id = $1 AND ${PUBLISHED} ORDER BY pool, flow_id
        ) AS published
        WHERE flow_id IN (SELECT id FROM of_scope) LIMIT $4)
    ) AS found`,
};

/** Counts the background runs that no executor has begun, at most twice up to `upTo`. */
export async function countWaiting(
  database: Pick<Database, 'query'>,
  { scope, id, userId }: WaitingOf,
  upTo: number,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>({ ...COUNT, values: [userId, scope, id, upTo] });
  return rows[0]?.count ?? 0;
}
