import type { RunFailure } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../../retry-on-deadlock';
import { insertTracesOf, traceParameters } from '../../traces/insert-traces';
import type { RunAttempt, RunObservations } from './run-completion';
import { endAttemptsSql, workerBefore } from './run-attempts';
import { writeFailure } from '../run-rows';

/** A failed attempt that will be followed by another. */
export interface FailedAttempt extends RunAttempt, RunObservations {
  readonly failure: RunFailure | null;
  readonly pauseMilliseconds: number;
}

// Back to accepted: the sweeper publishes the run when the pause is over. Retries granted here do not use up the
// attempts that are reserved for executor crashes.
const RETRY = {
  name: 'runs-retry',
  text: `WITH retried AS (
      UPDATE runs SET status = 'accepted', retries = runs.retries + 1, maximum_attempts = runs.maximum_attempts + 1,
        failure = $3, usage = coalesce($5, usage), worker = NULL, lease_until = NULL, sweeps = 0,
        next_sweep_at = now() + $4 * interval '1 millisecond'
      WHERE id = $1 AND attempt = $2 AND status = 'running' AND NOT cancel_requested
      RETURNING id, flow_id, user_id, attempt, started_at, failure, 'failed' AS outcome, ${workerBefore} AS worker
    ), kept AS (${endAttemptsSql('retried')}), traced AS (${insertTracesOf('retried', 6)})
    SELECT id FROM retried`,
};

/** See RunStore.retry. */
export async function retryRun(database: Database, attempt: FailedAttempt): Promise<boolean> {
  const { runId, failure, pauseMilliseconds, usage = null, trace = null } = attempt;
  const values = [
    runId,
    attempt.attempt,
    writeFailure(failure),
    pauseMilliseconds,
    usage,
    ...traceParameters([{ id: runId, trace }]),
  ];
  const { rows } = await retryOnDeadlock(() => database.query({ ...RETRY, values }));
  return rows.length > 0;
}
