import type { RunFailure } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { readFailure } from '../run-rows';

/** How long one process has to publish a dead letter before another process retries. */
const RETRY_INTERVAL = `interval '30 seconds'`;

/** Returns the SQL that adds a dead letter for each dead run among the rows of the CTE `ended`. */
export function insertDeadLettersSql(ended: string): string {
  return `INSERT INTO dead_letters (run_id, due_at) SELECT id, now() FROM ${ended} WHERE status = 'dead' ON CONFLICT DO NOTHING`;
}

// Skips rows that another process has taken; rows that it does not confirm become due again.
const TAKE_DUE = {
  name: 'dead-letters-take',
  text: `WITH taken AS (
      UPDATE dead_letters SET due_at = now() + ${RETRY_INTERVAL} WHERE run_id = ANY(ARRAY(
        SELECT run_id FROM dead_letters WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
      RETURNING run_id
    )
    SELECT runs.id AS "runId", runs.flow_id AS "flowId", runs.flow_version AS "flowVersion", runs.user_id AS "userId",
      runs.lane, runs.pool, runs.attempt, runs.failure, runs.accepted_at AS "acceptedAt",
      runs.finished_at AS "finishedAt"
    FROM taken JOIN runs ON runs.id = taken.run_id`,
};

const DELETE = {
  name: 'dead-letters-delete',
  text: `DELETE FROM dead_letters WHERE run_id = ANY($1::uuid[])`,
};

/** A run that was marked dead, and why. */
export interface DeadRun {
  readonly runId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: string;
  readonly pool: string;
  /** The number of the last attempt. */
  readonly attempt: number;
  readonly failure: RunFailure | null;
  readonly acceptedAt: Date;
  readonly finishedAt: Date;
}

/** See RunStore.takeDeadLetters. */
export async function takeDeadLetters(database: Database, limit: number): Promise<DeadRun[]> {
  const { rows } = await database.query<Omit<DeadRun, 'failure'> & { readonly failure: string | null }>({
    ...TAKE_DUE,
    values: [limit],
  });
  return rows.map(({ failure, ...run }) => ({ ...run, failure: readFailure(failure) }));
}

/** See RunStore.confirmDeadLetters. */
export async function deleteConfirmed(database: Database, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0) await database.query({ ...DELETE, values: [runIds] });
}
