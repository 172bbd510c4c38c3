import { DatabaseError as ServerError } from 'pg';
import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from './database';
import { sqlStateRow } from './sqlstate';
import type { ConnectionFate } from './sqlstate';

/**
 * Translates errors of the driver to the port's errors. An error that is neither an answer of the server nor a mistake
 * in our call means a lost connection or an exceeded deadline.
 */
export function translateError(error: unknown): Error {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailableError) return error;
  if (error instanceof ServerError) return translateServerError(error);
  if (isCallerError(error)) return error;
  const reason = describeError(error);
  return new DatabaseUnavailableError(`The database does not answer: ${reason}`, { cause: error });
}

/** Returns what happens to the connection on which this (translated) error occurred. */
export function connectionFate(error: unknown): ConnectionFate {
  if (error instanceof DatabaseError) return sqlStateRow(error.sqlState).connection;
  if (!(error instanceof DatabaseUnavailableError)) return 'kept';
  // Without an answer of the server, its state is unknown.
  return error.sqlState === undefined ? 'dropped' : sqlStateRow(error.sqlState).connection;
}

function translateServerError(error: ServerError): Error {
  const sqlState = error.code ?? 'XX000';
  switch (sqlStateRow(sqlState).meaning) {
    case 'unavailable':
      return new DatabaseUnavailableError(`The database is not available: ${error.message} (${sqlState})`, {
        cause: error,
        sqlState,
      });
    case 'retry':
      return new DatabaseConflictError(`The database ended a statement: ${error.message} (${sqlState})`, {
        cause: error,
        sqlState,
      });
    default:
      return new DatabaseError(error.message, sqlState, error.constraint, error);
  }
}

/** Whether the driver refused a call before sending it; such bugs keep their own error. */
function isCallerError(error: unknown): error is Error {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    (error instanceof Error && error.message.startsWith('Prepared statements must be unique'))
  );
}

/** An AggregateError (both addresses of "localhost" refused) has no message of its own. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name;
}
