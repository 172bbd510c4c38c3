import type { ClaimedRun } from '@millrace/runs';
import type { AttemptOutcome } from './attempt';
import type { ExecutorParts } from './executor-parts';
import { patientCommit } from './patient-commit';
import { pauseBeforeRetry } from './retry-rule';

const PATIENCE_MILLISECONDS = 60_000;

/** Whether the flow's rule grants a failed run another attempt; the sweeper publishes it when the pause is over. */
export async function triesAgain(
  { runs, logger, leaving, failedRuns }: ExecutorParts,
  run: ClaimedRun & { readonly runId: string },
  outcome: AttemptOutcome,
): Promise<boolean> {
  const { runId, attempt, retries, retry } = run;
  const { failure } = outcome;
  const pauseMilliseconds = pauseBeforeRetry(retry, { failure, retries }, Math.random());
  if (pauseMilliseconds === null) return false;
  const what = 'granting a run another attempt';
  const patience = { patienceMilliseconds: PATIENCE_MILLISECONDS, logger, what, leaving };
  const isGranted = await patientCommit(patience, () =>
    runs.retry({ runId, attempt, failure, pauseMilliseconds }),
  );
  if (isGranted) failedRuns.write({ ...run, ...outcome, retryInMilliseconds: pauseMilliseconds });
  return isGranted;
}
