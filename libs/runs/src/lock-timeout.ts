import { DatabaseUnavailableError, LOCK_NOT_AVAILABLE } from '@millrace/database';

/**
 * SQL condition that is true. Its statement fails when it waits for a lock for longer than this. Locks of other statements last
 * for milliseconds: waiting costs less than passing over their rows and coming back.
 */
export const WAITS_BRIEFLY = `(SELECT set_config('lock_timeout', '200ms', true)) IS NOT NULL`;

/** Whether a statement waited too long for a lock; nothing was executed. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.sqlState === LOCK_NOT_AVAILABLE;
}
