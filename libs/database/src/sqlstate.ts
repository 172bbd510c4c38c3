/**
 * What the server's SQLSTATEs mean here, in one table. Every other place asks this table. Source: appendix "PostgreSQL
 * Error Codes" of PostgreSQL's manual.
 */

/**
 * `unavailable`: the server cannot serve the statement now; later, or after an operator's work, the same one passes.
 * `retry`: other statements were in the way, or the connection was; nothing was done, and the same one may pass at once.
 * `caller`: a value that came with the statement is refused, today and tomorrow.
 * `bug`: the statement itself is refused; nothing that a caller can change.
 */
export type SqlStateMeaning = 'unavailable' | 'retry' | 'caller' | 'bug';

/**
 * `kept`: the connection goes back to the pool. `dropped`: the next statement has a new one. `all dropped`: so have all
 * others of the pool, because the address may lead to another server by now.
 */
export type ConnectionFate = 'kept' | 'dropped' | 'all dropped';

export interface SqlStateRow {
  /** Five characters; or the two of a class, for its states without a row of their own. */
  readonly state: string;
  readonly meaning: SqlStateMeaning;
  readonly connection: ConnectionFate;
  readonly about: string;
}

export const READ_ONLY = '25006';
export const FAILED_TRANSACTION = '25P02';
export const UNIQUE_VIOLATION = '23505';
export const UNDEFINED_TABLE = '42P01';
export const INVALID_TEXT_REPRESENTATION = '22P02';
export const CHARACTER_NOT_IN_REPERTOIRE = '22021';
export const UNTRANSLATABLE_CHARACTER = '22P05';
export const NUMERIC_VALUE_OUT_OF_RANGE = '22003';
export const DATETIME_FIELD_OVERFLOW = '22008';
const UNKNOWN_PREPARED_STATEMENT = '26000';
const DUPLICATE_PREPARED_STATEMENT = '42P05';

/** Text that PostgreSQL cannot store, such as a NUL character or half a surrogate pair. */
export const UNSTORABLE_TEXT: ReadonlySet<string> = new Set([
  CHARACTER_NOT_IN_REPERTOIRE,
  UNTRANSLATABLE_CHARACTER,
  INVALID_TEXT_REPRESENTATION,
]);

/** What statements with a name meet where a pooler hands each transaction to another server connection. */
export const PREPARED_STATEMENT_LOST: ReadonlySet<string> = new Set([
  UNKNOWN_PREPARED_STATEMENT,
  DUPLICATE_PREPARED_STATEMENT,
]);

export const SQL_STATES: readonly SqlStateRow[] = [
  row('08', 'unavailable', 'dropped', 'The connection broke, or a pooler refuses it.'),
  // Prepared for a table that has changed since: a new connection prepares it again.
  row('0A000', 'retry', 'dropped', 'A prepared statement no longer fits its table.'),
  row('22', 'caller', 'kept', 'A value cannot be stored.'),
  row('23', 'caller', 'kept', 'A constraint refuses a row.'),
  row(READ_ONLY, 'unavailable', 'all dropped', 'The server takes no writes: a standby, or a failover.'),
  row('25P03', 'unavailable', 'dropped', 'A transaction was idle for too long.'),
  row('25P04', 'unavailable', 'dropped', 'A transaction took too long.'),
  row(UNKNOWN_PREPARED_STATEMENT, 'retry', 'dropped', 'The server does not know a prepared statement.'),
  row('28', 'unavailable', 'dropped', 'The server refuses the login.'),
  row('3D', 'unavailable', 'dropped', 'The server does not have this database.'),
  row('40', 'retry', 'kept', 'Ended in favour of other transactions: serialization, deadlock, recovery.'),
  row('40003', 'unavailable', 'dropped', 'The server does not say whether the statement was done.'),
  row(DUPLICATE_PREPARED_STATEMENT, 'retry', 'dropped', 'A prepared statement is there already.'),
  row('53', 'unavailable', 'kept', 'The server lacks a resource.'),
  row('53100', 'unavailable', 'kept', 'The disk is full.'),
  row('53200', 'unavailable', 'kept', 'The server has no memory left.'),
  row('53300', 'unavailable', 'dropped', 'The server has as many connections as it may.'),
  row('54000', 'caller', 'kept', 'A value is too large for an index.'),
  row('55006', 'retry', 'kept', 'An object is in use.'),
  row('55P03', 'retry', 'kept', 'A lock was not to be had in time.'),
  row('57', 'unavailable', 'dropped', 'An operator interferes.'),
  row('57014', 'unavailable', 'kept', 'The statement took too long and was cancelled.'),
  row('57P01', 'unavailable', 'dropped', 'The server stops, or an operator ended the connection.'),
  row('57P02', 'unavailable', 'dropped', 'Another backend crashed; the server recovers.'),
  row('57P03', 'unavailable', 'dropped', 'The server starts, stops or recovers.'),
  row('58', 'unavailable', 'dropped', "The server's files or operating system fail."),
];

const ROWS: ReadonlyMap<string, SqlStateRow> = new Map(SQL_STATES.map((one) => [one.state, one]));

/** The row of a state or of its class; a state that has neither is a bug. */
export function sqlStateRow(state: string): SqlStateRow {
  return (
    ROWS.get(state) ??
    ROWS.get(state.slice(0, 2)) ??
    row(state, 'bug', 'kept', 'The statement is refused for what it is.')
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
