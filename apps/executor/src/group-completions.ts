import { GroupCommit, isRowError } from '@millrace/runs';
import type { RunCompletion, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { patientCommit } from './patient-commit';

/** Work that has been done is worth waiting for; past this the run's lease and its message bring it to its end. */
const PATIENCE_MILLISECONDS = 60_000;

export interface GroupCompletionsDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly leaving: AbortSignal;
}

/** Ends of many runs in few statements; true for each that was stored, false when another attempt owns the run. */
export function groupCompletions(
  dependencies: GroupCompletionsDependencies,
): GroupCommit<RunCompletion, boolean> {
  const patience = { ...dependencies, patienceMilliseconds: PATIENCE_MILLISECONDS, what: 'completing runs' };
  return new GroupCommit<RunCompletion, boolean>({
    commit: (ends) =>
      patientCommit(patience, async (afterUnknownOutcome) => {
        const stored = await dependencies.runs.complete(ends, { afterUnknownOutcome });
        return ends.map(({ runId }) => stored.has(runId));
      }),
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 10_000,
    splitOn: isRowError,
  });
}
