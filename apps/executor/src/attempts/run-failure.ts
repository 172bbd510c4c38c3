import type { RunFailure } from '@millrace/contracts';
import { DatabaseUnavailableError } from '@millrace/database';
import { RunError } from '@millrace/flow';
import { PythonUnavailableError } from '@millrace/python';

const MAXIMUM_CAUSE_DEPTH = 16;

/** Creates the failure of a run as a whole, not of one of its vertices. */
export function wholeRunFailure(code: string, message: string): RunFailure {
  return { code, message, vertex: null, problems: [] };
}

/** Converts an error to the failure that is reported to the caller. */
export function toRunFailure(error: unknown): RunFailure {
  if (causedByOutage(error)) return wholeRunFailure('database_unavailable', 'The database is not available.');
  if (error instanceof RunError) {
    return { code: error.code, message: error.message, vertex: error.vertex, problems: error.problems };
  }
  return wholeRunFailure('internal', 'The run failed because of an internal error.');
}

/** Returns whether the database was unavailable; the run did not cause that and can succeed on the next attempt. */
export function causedByOutage(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof DatabaseUnavailableError);
}

/** Returns whether no Python process was free, or that of the run ended, in such a way that another attempt can succeed. */
export function lackedPython(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof PythonUnavailableError && !cause.permanent);
}

/** Returns an error and its causes, the error first. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let cause = error;
  while (cause instanceof Error && causes.length < MAXIMUM_CAUSE_DEPTH) {
    causes.push(cause);
    cause = cause.cause;
  }
  return causes;
}
