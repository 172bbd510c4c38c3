import { uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';

const COUNT = {
  name: 'unrecorded-runs-count',
  text: `INSERT INTO unrecorded_runs AS stored (flow_id, hour, runs)
    SELECT given.flow_id, date_trunc('hour', now()), given.runs
    FROM unnest($1::uuid[], $2::bigint[]) AS given (flow_id, runs) JOIN flows ON flows.id = given.flow_id
    ORDER BY given.flow_id
    ON CONFLICT (flow_id, hour) DO UPDATE SET runs = stored.runs + excluded.runs`,
};

const SUM = {
  name: 'unrecorded-runs-sum',
  text: `SELECT coalesce(sum(runs), 0)::float8 AS runs FROM unrecorded_runs JOIN flows ON flows.id = flow_id
    WHERE ($1::uuid IS NULL OR flows.user_id = $1) AND ($2::uuid IS NULL OR flow_id = $2)
      AND ($3::timestamptz IS NULL OR hour >= date_trunc('hour', $3)) AND ($4::timestamptz IS NULL OR hour < $4)`,
};

const PRUNE = {
  name: 'unrecorded-runs-prune',
  text: `DELETE FROM unrecorded_runs WHERE (flow_id, hour) IN (
      SELECT flow_id, hour FROM unrecorded_runs WHERE hour < now() - $1 * interval '1 day' LIMIT $2)`,
};

/** Selects unrecorded runs of a user: of one flow, and of a time. */
export interface UnrecordedFilter {
  /** Null for all users. */
  readonly userId: string | null;
  readonly flowId?: string | undefined;
  readonly from?: Date | undefined;
  readonly before?: Date | undefined;
}

/** See RunStore.countUnrecorded. */
export async function countUnrecorded(
  connection: Queryable,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.query({ ...COUNT, values: [uuidArray([...counts.keys()]), [...counts.values()]] });
}

/** See RunStore.unrecorded. */
export async function sumUnrecorded(
  connection: Queryable,
  { userId, flowId, from, before }: UnrecordedFilter,
): Promise<number> {
  const values = [userId, flowId ?? null, from ?? null, before ?? null];
  const { rows } = await connection.query<{ runs: number }>({ ...SUM, values });
  return rows[0]?.runs ?? 0;
}

/** Deletes counts as old as the runs that are deleted. */
export async function pruneUnrecorded(connection: Queryable, days: number, limit: number): Promise<void> {
  await connection.query({ ...PRUNE, values: [days, limit] });
}
