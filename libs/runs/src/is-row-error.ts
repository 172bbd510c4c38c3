import { DatabaseError } from '@millrace/database';

/**
 * Whether a single row can have made the database refuse a batch (a malformed id, a value out of range). Used for
 * GroupCommit's `splitOn`, so that one caller's row never fails the rows of others.
 */
export function isRowError(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.isCallerError;
}
