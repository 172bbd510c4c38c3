import type { RunFailure } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import type { RunAttempt } from './run-completion';
import { writeFailure } from './run-rows';

/** A failed attempt that will be followed by another. */
export interface FailedAttempt extends RunAttempt {
  readonly failure: RunFailure | null;
  readonly pauseMilliseconds: number;
}

// Back to accepted: the sweeper publishes the run when the pause is over. Retries granted here do not use up the
// attempts that are reserved for executor crashes.
const RETRY = {
  name: 'runs-retry',
  text: `UPDATE runs SET status = 'accepted', retries = runs.retries + 1,
      maximum_attempts = runs.maximum_attempts + 1, failure = $3, worker = NULL, lease_until = NULL, sweeps = 0,
      next_sweep_at = now() + $4 * interval '1 millisecond'
    WHERE id = $1 AND attempt = $2 AND status = 'running' AND NOT cancel_requested`,
};

/** See RunStore.retry. */
export async function retryRun(database: Database, attempt: FailedAttempt): Promise<boolean> {
  const { runId, failure, pauseMilliseconds } = attempt;
  const values = [runId, attempt.attempt, writeFailure(failure), pauseMilliseconds];
  const { rowCount } = await retryOnDeadlock(() => database.query({ ...RETRY, values }));
  return rowCount > 0;
}
