import { GroupCommit, isRowError, OVERTAKE_AFTER_MILLISECONDS } from '@millrace/runs';
import type { RunCompletion, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { retryDuringOutage } from './retry-during-outage';

/** Completed work is worth waiting for; after this time, the run's lease and its message recover it. */
const OUTAGE_TIMEOUT_MILLISECONDS = 60_000;

export interface GroupCompletionsDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Creates the batch that stores the ends of many runs in few statements. Resolves to true for each end that was stored,
 * to false when another attempt owns the run.
 */
export function groupCompletions(
  dependencies: GroupCompletionsDependencies,
): GroupCommit<RunCompletion, boolean> {
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS,
    activity: 'completing runs',
  };
  return new GroupCommit<RunCompletion, boolean>({
    commit: (ends) =>
      retryDuringOutage(retryOptions, async (afterUnknownOutcome) => {
        const stored = await dependencies.runs.complete(ends, { afterUnknownOutcome });
        return ends.map(({ runId }) => stored.has(runId));
      }),
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 10_000,
    overtakeAfterMilliseconds: OVERTAKE_AFTER_MILLISECONDS,
    splitOn: isRowError,
  });
}
