/**
 * Maps the server's SQLSTATEs to their meaning for this service. The only such table. Source: appendix "PostgreSQL
 * Error Codes" of PostgreSQL's manual.
 */

/**
 * `unavailable`: the server cannot serve the statement now; it can succeed later, or after an operator's intervention.
 * `retry`: the statement conflicted with others, or its connection failed it; nothing was executed, and an immediate
 * retry can succeed. `caller`: a parameter value is refused; a retry does not help. `bug`: the statement itself is
 * refused; the caller cannot change that.
 */
export type SqlStateMeaning = 'unavailable' | 'retry' | 'caller' | 'bug';

/**
 * `kept`: the connection returns to the pool. `dropped`: the connection is replaced. `all dropped`: all connections of
 * the pool are replaced, because the address may now lead to another server.
 */
export type ConnectionFate = 'kept' | 'dropped' | 'all dropped';

export interface SqlStateRow {
  /** Five characters; or two for a class, which covers its states without their own row. */
  readonly state: string;
  readonly meaning: SqlStateMeaning;
  readonly connection: ConnectionFate;
  readonly about: string;
}

export const READ_ONLY = '25006';
export const FAILED_TRANSACTION = '25P02';
export const UNIQUE_VIOLATION = '23505';
export const UNDEFINED_TABLE = '42P01';
export const UNDEFINED_COLUMN = '42703';
export const LOCK_NOT_AVAILABLE = '55P03';
export const INVALID_TEXT_REPRESENTATION = '22P02';
export const CHARACTER_NOT_IN_REPERTOIRE = '22021';
export const UNTRANSLATABLE_CHARACTER = '22P05';
export const NUMERIC_VALUE_OUT_OF_RANGE = '22003';
export const DATETIME_FIELD_OVERFLOW = '22008';
const UNKNOWN_PREPARED_STATEMENT = '26000';
const DUPLICATE_PREPARED_STATEMENT = '42P05';

/** States for text that PostgreSQL cannot store, such as a NUL character or half a surrogate pair. */
export const UNSTORABLE_TEXT: ReadonlySet<string> = new Set([
  CHARACTER_NOT_IN_REPERTOIRE,
  UNTRANSLATABLE_CHARACTER,
  INVALID_TEXT_REPRESENTATION,
]);

/** States of named statements when a pooler assigns transactions to different server connections. */
export const PREPARED_STATEMENT_LOST: ReadonlySet<string> = new Set([
  UNKNOWN_PREPARED_STATEMENT,
  DUPLICATE_PREPARED_STATEMENT,
]);

export const SQL_STATES: readonly SqlStateRow[] = [
  row('08', 'unavailable', 'dropped', 'The connection broke, or a pooler refuses it.'),
  // The table changed after the preparation: a new connection prepares the statement again.
  row('0A000', 'retry', 'dropped', 'A prepared statement no longer fits its table.'),
  row('22', 'caller', 'kept', 'A value cannot be stored.'),
  row('23', 'caller', 'kept', 'A constraint refuses a row.'),
  row(READ_ONLY, 'unavailable', 'all dropped', 'The server is read-only: a standby, or a failover.'),
  row('25P03', 'unavailable', 'dropped', 'A transaction was idle for too long.'),
  row('25P04', 'unavailable', 'dropped', 'A transaction took too long.'),
  row(UNKNOWN_PREPARED_STATEMENT, 'retry', 'dropped', 'The server does not have a prepared statement.'),
  row('28', 'unavailable', 'dropped', 'The server refuses the login.'),
  row('3D', 'unavailable', 'dropped', 'The server does not have this database.'),
  row('40', 'retry', 'kept', 'Ended because of other transactions: serialization, deadlock, recovery.'),
  row('40003', 'unavailable', 'dropped', 'The server does not report whether the statement was executed.'),
  row(DUPLICATE_PREPARED_STATEMENT, 'retry', 'dropped', 'A prepared statement exists already.'),
  row('53', 'unavailable', 'kept', 'The server lacks a resource.'),
  row('53100', 'unavailable', 'kept', 'The disk is full.'),
  row('53200', 'unavailable', 'kept', 'The server has no memory left.'),
  row('53300', 'unavailable', 'dropped', "The server's connection limit is reached."),
  row('54000', 'caller', 'kept', 'A value is too large for an index.'),
  row('55006', 'retry', 'kept', 'An object is in use.'),
  row(LOCK_NOT_AVAILABLE, 'retry', 'kept', 'A lock was not obtained in time.'),
  row('57', 'unavailable', 'dropped', 'An operator intervened.'),
  row('57014', 'unavailable', 'kept', 'The statement took too long and was cancelled.'),
  row('57P01', 'unavailable', 'dropped', 'The server stops, or an operator ended the connection.'),
  row('57P02', 'unavailable', 'dropped', 'Another backend crashed; the server recovers.'),
  row('57P03', 'unavailable', 'dropped', 'The server starts, stops or recovers.'),
  row('58', 'unavailable', 'dropped', "The server's files or operating system fail."),
];

const ROWS: ReadonlyMap<string, SqlStateRow> = new Map(SQL_STATES.map((one) => [one.state, one]));

/** Returns the row of a state or of its class; a state without either is a bug. */
export function sqlStateRow(state: string): SqlStateRow {
  return (
    ROWS.get(state) ??
    ROWS.get(state.slice(0, 2)) ??
    row(state, 'bug', 'kept', 'The statement itself is invalid.')
  );
}

function row(
  state: string,
  meaning: SqlStateMeaning,
  connection: ConnectionFate,
  about: string,
): SqlStateRow {
  return { state, meaning, connection, about };
}
