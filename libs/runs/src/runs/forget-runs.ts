import type { Database } from '@millrace/database';
import type { RunStatus } from './run-record';

const ROWS_AT_ONCE = 500;

/** Which ended runs to forget. */
export interface ForgottenRuns {
  readonly status: RunStatus;
  readonly flowId?: string | undefined;
  /** How many at most. */
  readonly limit: number;
}

const FORGET_ONE = {
  name: 'runs-forget-one',
  text: `DELETE FROM runs WHERE id = $1 AND user_id = $2 AND next_sweep_at IS NULL AND finished_at IS NOT NULL`,
};

const FORGET = {
  name: 'runs-forget',
  text: `DELETE FROM runs WHERE id = ANY(ARRAY(
      SELECT found.id FROM flows CROSS JOIN LATERAL (
        SELECT runs.id FROM runs WHERE runs.flow_id = flows.id AND runs.user_id = $1 AND runs.status = $2
          AND runs.finished_at IS NOT NULL LIMIT $4
      ) AS found
      WHERE flows.user_id = $1 AND ($3::uuid IS NULL OR flows.id = $3) LIMIT $4))`,
};

/** See RunStore.forget. */
export async function forgetRun(database: Database, userId: string, runId: string): Promise<boolean> {
  const { rowCount } = await database.query({ ...FORGET_ONE, values: [runId, userId] });
  return rowCount > 0;
}

/** See RunStore.forgetAll. In small parts, so that no statement takes long. */
export async function forgetRuns(
  database: Database,
  userId: string,
  { status, flowId, limit }: ForgottenRuns,
): Promise<number> {
  let forgotten = 0;
  while (forgotten < limit) {
    const atOnce = Math.min(ROWS_AT_ONCE, limit - forgotten);
    const { rowCount } = await database.query({
      ...FORGET,
      values: [userId, status, flowId ?? null, atOnce],
    });
    forgotten += rowCount;
    if (rowCount < atOnce) break;
  }
  return forgotten;
}
