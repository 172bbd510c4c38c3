import { DatabaseConflictError } from '@millrace/database';
import { isLockTimeout } from './lock-timeout';

const MAXIMUM_TRIES = 4;
const PAUSE_MILLISECONDS = 20;

/**
 * Retries `work` when the database ended it because of concurrent statements, such as to resolve a deadlock. Batches
 * are sorted, so this is rare; it happens when two statements visit the same rows by different plans. A lock that was not
 * obtained in time is no deadlock: another try would wait for it again.
 */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isDeadlock = error instanceof DatabaseConflictError && !isLockTimeout(error);
      if (attempt >= MAXIMUM_TRIES || !isDeadlock) throw error;
      await pause(PAUSE_MILLISECONDS * attempt * (0.5 + Math.random()));
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
