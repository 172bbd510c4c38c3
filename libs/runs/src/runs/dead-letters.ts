import type { RunFailure } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { readFailure } from './run-rows';

/** How long one process has for telling the broker before another one tries. */
const TURN = `interval '30 seconds'`;

/** Part of a statement that makes runs dead: notes those of them that are, by the name of the part that returns them. */
export function noteDeadOf(ended: string): string {
  return `INSERT INTO dead_letters (run_id, due_at) SELECT id, now() FROM ${ended} WHERE status = 'dead' ON CONFLICT DO NOTHING`;
}

// Rows that another process has in hand are passed over; those it did not get done come up again.
const TAKE = {
  name: 'dead-letters-take',
  text: `WITH taken AS (
      UPDATE dead_letters SET due_at = now() + ${TURN} WHERE run_id = ANY(ARRAY(
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

/** A run that was given up, and why. */
export interface DeadRun {
  readonly runId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: string;
  readonly pool: string;
  /** How often it was tried. */
  readonly attempt: number;
  readonly failure: RunFailure | null;
  readonly acceptedAt: Date;
  readonly finishedAt: Date;
}

/** See RunStore.takeDead. */
export async function takeDead(database: Database, limit: number): Promise<DeadRun[]> {
  const { rows } = await database.query<Omit<DeadRun, 'failure'> & { readonly failure: string | null }>({
    ...TAKE,
    values: [limit],
  });
  return rows.map(({ failure, ...run }) => ({ ...run, failure: readFailure(failure) }));
}

/** See RunStore.announced. */
export async function deleteAnnounced(database: Database, runIds: readonly string[]): Promise<void> {
  if (runIds.length > 0) await database.query({ ...DELETE, values: [runIds] });
}
