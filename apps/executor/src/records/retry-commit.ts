import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from '@millrace/database';
import { isRowError } from '@millrace/runs';
import { backoff, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';

const PAUSE = { initialMilliseconds: 100, maximumMilliseconds: 2_000 };

export interface OutageRetryOptions {
  readonly timeoutMilliseconds: number;
  readonly logger: Logger;
  /** The operation, for the log. */
  readonly activity: string;
  /** Fires when there is no time left for retries. */
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Retries a commit while the database is unavailable or fails, until its time limit. Rejects at once with errors that a
 * single row may have caused, and with all other errors. `commit` receives true when an earlier try may have been
 * committed although its answer was lost.
 */
export async function retryDuringOutage<T>(
  { timeoutMilliseconds, logger, activity, shutdownDeadline }: OutageRetryOptions,
  commit: (afterUnknownOutcome: boolean) => Promise<T>,
): Promise<T> {
  const giveUpAt = machineTime() + timeoutMilliseconds;
  let afterUnknownOutcome = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await commit(afterUnknownOutcome);
    } catch (error) {
      const pause = backoff({ ...PAUSE, attempt });
      if (!canSucceedLater(error) || shutdownDeadline.aborted || machineTime() + pause > giveUpAt)
        throw error;
      if (isOutcomeUnknown(error)) afterUnknownOutcome = true;
      logger.warn({ error, attempt: attempt + 1 }, `database error while ${activity}; retrying`);
      // The signal ends the pause early; one last try follows.
      await sleep(pause, undefined, { signal: shutdownDeadline }).catch(() => undefined);
    }
  }
}

export interface LockRetryOptions {
  readonly timeoutMilliseconds: number;
  /** Fires when there is no time left for further tries. */
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Commits an item, and again after pauses while another session locks its row: `commit` then resolves to null. The pauses use no
 * connection and keep no other item waiting. `commit` receives true when an earlier try may have been committed. Resolves to null
 * when the row is still locked at the end.
 */
export async function retryWhileLocked<Result>(
  { timeoutMilliseconds, shutdownDeadline }: LockRetryOptions,
  commit: (again: boolean) => Promise<Result | null>,
): Promise<Result | null> {
  const giveUpAt = machineTime() + timeoutMilliseconds;
  for (let attempt = 0; ; attempt += 1) {
    const result = await commit(attempt > 0);
    const pause = backoff({ ...PAUSE, attempt });
    if (result !== null || shutdownDeadline.aborted || machineTime() + pause > giveUpAt) return result;
    await sleep(pause, undefined, { signal: shutdownDeadline }).catch(() => undefined);
  }
}

/** Returns whether the same commit can succeed later: after an outage, or after an operator has fixed the database. */
function canSucceedLater(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  return error instanceof DatabaseError && !isRowError(error);
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && !(error instanceof DatabaseConflictError);
}
