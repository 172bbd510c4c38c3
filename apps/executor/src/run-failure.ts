import type { RunFailure } from '@millrace/contracts';
import { DatabaseUnavailableError } from '@millrace/database';
import { RunError } from '@millrace/flow';

const LONGEST_CHAIN = 16;

/** A failure of a run as a whole, at no vertex of it. */
export function wholeRunFailure(code: string, message: string): RunFailure {
  return { code, message, vertex: null, problems: [] };
}

/** What a caller is told of an error. */
export function toRunFailure(error: unknown): RunFailure {
  if (causedByOutage(error)) return wholeRunFailure('database_unavailable', 'The database is not available.');
  if (error instanceof RunError) {
    return { code: error.code, message: error.message, vertex: error.vertex, problems: error.problems };
  }
  return wholeRunFailure('internal', 'The run failed for an internal reason.');
}

/** Whether the database was away: no fault of the run, which may well succeed the next time. */
export function causedByOutage(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; cause instanceof Error && depth < LONGEST_CHAIN; depth += 1) {
    if (cause instanceof DatabaseUnavailableError) return true;
    cause = cause.cause;
  }
  return false;
}
