import { DatabaseError } from '@millrace/database';

/**
 * Whether one row alone may have made the database refuse a batch (a malformed id, a value out of range): for
 * GroupCommit's `splitOn`, so that one caller's row never fails the others'.
 */
export function isRowError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.isCallersMistake;
}
