import { DatabaseError as ServerError } from 'pg';
import { DatabaseError, DatabaseUnavailableError } from './database';

/**
 * Turns what the driver threw into the port's errors. Whatever is neither an answer of the server nor a mistake in
 * our own call is a lost connection or a lost deadline.
 */
export function translateError(error: unknown): Error {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailableError) return error;
  if (error instanceof ServerError) return translateServerError(error);
  if (isCallersMistake(error)) return error;
  const reason = error instanceof Error ? describe(error) : String(error);
  return new DatabaseUnavailableError(`The database does not answer: ${reason}`, { cause: error });
}

/** Whether the connection on which this (translated) error came may be used again. */
export function leavesConnectionUsable(error: Error): boolean {
  if (error instanceof DatabaseUnavailableError) return false;
  // A prepared statement that no longer fits its tables, or that the server does not know: only a new connection
  // prepares it again.
  return !(error instanceof DatabaseError && (error.sqlState === '0A000' || error.sqlState === '26000'));
}

function translateServerError(error: ServerError): Error {
  const sqlState = error.code ?? 'XX000';
  if (meansUnavailable(sqlState)) {
    return new DatabaseUnavailableError(`The database is not available: ${error.message} (${sqlState})`, {
      cause: error,
    });
  }
  return new DatabaseError(error.message, sqlState, error.constraint, error);
}

/** Lost connections, too many of them, a server that starts or stops, and statements stopped for taking too long. */
function meansUnavailable(sqlState: string): boolean {
  return (
    sqlState.startsWith('08') || sqlState.startsWith('57') || sqlState === '53300' || sqlState === '25P03'
  );
}

/** The driver refuses some calls before it sends anything; those are bugs and keep their own error. */
function isCallersMistake(error: unknown): error is Error {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof Error && error.message.startsWith('Prepared statements must be unique'))
  );
}

/** An AggregateError (both addresses of "localhost" refused) has no message of its own. */
function describe(error: Error): string {
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name;
}
