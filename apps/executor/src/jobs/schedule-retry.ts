import type { ClaimedRun } from '@millrace/runs';
import type { AttemptOutcome } from '../attempts/attempt';
import type { ExecutorParts } from '../executor-parts';
import { retryDuringOutage } from '../records/retry-during-outage';
import { pauseBeforeRetry } from './retry-rule';

const OUTAGE_TIMEOUT_MILLISECONDS = 60_000;

/** Schedules another attempt if the flow's retry rule allows it; the sweeper publishes the run after the pause. */
export async function scheduleRetry(
  { runs, logger, shutdownDeadline, failedRuns }: ExecutorParts,
  run: ClaimedRun & { readonly runId: string },
  outcome: AttemptOutcome,
): Promise<boolean> {
  const { runId, attempt, retries, retry } = run;
  const { failure } = outcome;
  const pauseMilliseconds = pauseBeforeRetry(retry, { failure, retries }, Math.random());
  if (pauseMilliseconds === null) return false;
  const activity = 'scheduling a retry of a run';
  const retryOptions = {
    timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS,
    logger,
    activity,
    shutdownDeadline,
  };
  const isGranted = await retryDuringOutage(retryOptions, () =>
    runs.retry({ runId, attempt, failure, pauseMilliseconds }),
  );
  if (isGranted) failedRuns.write({ ...run, ...outcome, retryInMilliseconds: pauseMilliseconds });
  return isGranted;
}
