import type { Queryable } from '@millrace/database';
import type { RunStatus } from '../../run-record/run-record';

const BATCH_SIZE = 500;

/** Selects the ended runs to delete. */
export interface RunDeletionFilter {
  readonly status: RunStatus;
  readonly flowId?: string | undefined;
  /** Maximum number of runs to delete. */
  readonly limit: number;
}

const DELETE_ONE = {
  name: 'runs-delete-record',
  text: `DELETE FROM runs WHERE id = $1 AND user_id = $2 AND next_sweep_at IS NULL AND finished_at IS NOT NULL`,
};

const DELETE_BATCH = {
  name: 'runs-delete-records',
  text: `DELETE FROM runs WHERE id = ANY(ARRAY(
      SELECT found.id FROM flows CROSS JOIN LATERAL (
        SELECT runs.id FROM runs WHERE runs.flow_id = flows.id AND runs.user_id = $1 AND runs.status = $2
          AND runs.finished_at IS NOT NULL LIMIT $4
      ) AS found
      WHERE flows.user_id = $1 AND ($3::uuid IS NULL OR flows.id = $3) LIMIT $4))`,
};

/** See RunStore.deleteRecord. */
export async function deleteRunRecord(database: Queryable, userId: string, runId: string): Promise<boolean> {
  const { rowCount } = await database.query({ ...DELETE_ONE, values: [runId, userId] });
  return rowCount > 0;
}

/** See RunStore.deleteRecords. Deletes in small batches, so that no statement takes long. */
export async function deleteRunRecords(
  database: Queryable,
  userId: string,
  { status, flowId, limit }: RunDeletionFilter,
): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const atOnce = Math.min(BATCH_SIZE, limit - deleted);
    const { rowCount } = await database.query({
      ...DELETE_BATCH,
      values: [userId, status, flowId ?? null, atOnce],
    });
    deleted += rowCount;
    if (rowCount < atOnce) break;
  }
  return deleted;
}
