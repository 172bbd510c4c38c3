import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from '@millrace/database';
import { isRowError } from '@millrace/runs';
import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';

export interface Patience {
  readonly patienceMilliseconds: number;
  readonly logger: Logger;
  /** What waits, for the log. */
  readonly what: string;
  /** Fires when there is no time left to be patient. */
  readonly leaving: AbortSignal;
}

/**
 * Repeats a commit while the database is away or in trouble, within its patience. What one row alone may have caused
 * passes at once, and so does every other error. `commit` is told when an earlier try may have been committed although
 * its answer never came.
 */
export async function patientCommit<T>(
  { patienceMilliseconds, logger, what, leaving }: Patience,
  commit: (afterUnknownOutcome: boolean) => Promise<T>,
): Promise<T> {
  const giveUpAt = Date.now() + patienceMilliseconds;
  let afterUnknownOutcome = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await commit(afterUnknownOutcome);
    } catch (error) {
      const pause = backoff({ initialMilliseconds: 100, maximumMilliseconds: 2_000, attempt });
      if (!mayPass(error) || leaving.aborted || Date.now() + pause > giveUpAt) throw error;
      if (isOutcomeUnknown(error)) afterUnknownOutcome = true;
      logger.warn({ error, attempt: attempt + 1 }, `${what} waits for the database`);
      // Cut short by the end of all patience: one last try.
      await sleep(pause, undefined, { signal: leaving }).catch(() => undefined);
    }
  }
}

/** Whether the same commit may go through later: after an outage, or after an operator's work. */
function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  return error instanceof DatabaseError && !isRowError(error);
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && !(error instanceof DatabaseConflictError);
}
