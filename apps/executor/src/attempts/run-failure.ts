import type { RunFailure } from '@millrace/messages';
import { DatabaseUnavailableError } from '@millrace/database';
import { RunError } from '@millrace/flow';
import { PythonBusyError, PythonEndedError } from '@millrace/python';
import { ObjectStoreUnavailableError, SecretStoreUnavailableError } from '@millrace/runs';

const MAXIMUM_CAUSE_DEPTH = 16;

/** Creates the failure of a run as a whole, not of one of its vertices. */
export function wholeRunFailure(code: string, message: string): RunFailure {
  return { code, message, vertex: null, problems: [] };
}

/** Converts an error to the failure that is reported to the caller. */
export function toRunFailure(error: unknown): RunFailure {
  const outage = outageOf(error);
  if (outage instanceof ObjectStoreUnavailableError)
    return wholeRunFailure(outage.code, 'The object store is not available.');
  if (outage !== undefined) return wholeRunFailure('database_unavailable', 'The database is not available.');
  const secrets = causesOf(error).find((cause) => cause instanceof SecretStoreUnavailableError);
  if (secrets !== undefined) {
    const vertex = error instanceof RunError ? error.vertex : null;
    return { ...wholeRunFailure(secrets.code, secrets.message), vertex };
  }
  const busy = causesOf(error).find((cause) => cause instanceof PythonBusyError);
  if (busy !== undefined) {
    const vertex = error instanceof RunError ? error.vertex : null;
    return { ...wholeRunFailure(busy.code, busy.message), vertex };
  }
  if (error instanceof RunError) {
    return { code: error.code, message: error.message, vertex: error.vertex, problems: error.problems };
  }
  return wholeRunFailure('internal', 'The run failed because of an internal error.');
}

/** Returns whether a server was unavailable; the run did not cause that and can succeed on the next attempt. */
export function causedByOutage(error: unknown): boolean {
  return outageOf(error) !== undefined;
}

function outageOf(error: unknown): Error | undefined {
  return causesOf(error).find(
    (cause) => cause instanceof DatabaseUnavailableError || cause instanceof ObjectStoreUnavailableError,
  );
}

/** Returns whether no Python process was free, or that of the run ended, in such a way that another attempt can succeed. */
export function lackedPython(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => cause instanceof PythonBusyError || (cause instanceof PythonEndedError && !cause.permanent),
  );
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
