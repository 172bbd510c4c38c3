import { DatabaseConflictError } from '@millrace/database';
import { GroupCommit, isRowError } from '@millrace/runs';
import type { RunCompletion, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { retryDuringOutage, retryWhileLocked } from './retry-commit';

/** Completed work is worth waiting for; after this time, the run's lease and its message recover it. */
const TIMEOUT_MILLISECONDS = 60_000;

export interface GroupCompletionsDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

export interface GroupCompletions {
  /** Resolves to true when the end was stored, to false when another attempt owns the run. */
  add(completion: RunCompletion): Promise<boolean>;
  close(): Promise<void>;
}

interface PendingCompletion {
  readonly completion: RunCompletion;
  /** An earlier try may have been committed. */
  readonly again: boolean;
}

/** Creates the batch that stores the ends of many runs in few statements. */
export function groupCompletions(dependencies: GroupCompletionsDependencies): GroupCompletions {
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    activity: 'completing runs',
  };
  const group = new GroupCommit<PendingCompletion, boolean | null>({
    commit: (pending) =>
      retryDuringOutage(retryOptions, async (outcomeUnknown) => {
        const locked = new Set<string>();
        const stored = await dependencies.runs.complete(
          pending.map(({ completion }) => completion),
          {
            afterUnknownOutcome: outcomeUnknown || pending.some(({ again }) => again),
            onLocked: (runId) => locked.add(runId),
          },
        );
        return pending.map(({ completion: { runId } }) => (locked.has(runId) ? null : stored.has(runId)));
      }),
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 10_000,
    splitOn: isRowError,
  });
  return {
    async add(completion) {
      const isStored = await retryWhileLocked(retryOptions, (again) => group.add({ completion, again }));
      if (isStored === null) throw new DatabaseConflictError('Another session locks the row of the run.');
      return isStored;
    },
    close: () => group.close(),
  };
}
