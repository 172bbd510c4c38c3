import { uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { wholeText } from '../../text-templates/whole-text';
import type { RunStatus } from '../../run-record/run-record';

/** A run that has ended. */
export interface EndedRun {
  readonly id: string;
  readonly status: RunStatus;
  /** JSON text of the RunResponse, which `wholeResult` reads where it is in the object store; null for a run that did not succeed. */
  readonly resultText: string | null;
}

const FIND_ENDED = {
  name: 'runs-find-ended',
  text: `SELECT id, status, ${wholeText('result')} AS "resultText" FROM runs
    WHERE id = ANY($1::uuid[]) AND finished_at IS NOT NULL`,
};

/** See RunStore.ended. */
export async function findEnded(connection: Queryable, ids: readonly string[]): Promise<EndedRun[]> {
  const { rows } = await connection.query<EndedRun>({ ...FIND_ENDED, values: [uuidArray(ids)] });
  return rows;
}
