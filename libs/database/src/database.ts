import { sqlStateRow } from './sqlstate';

/** SQL with its parameters ($1, $2, …). A statement with a name is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface QueryResult<Row> {
  readonly rows: Row[];
  /** Rows returned or affected. */
  readonly rowCount: number;
}

/** Limits of one transaction that takes longer than requests do, such as a migration. */
export interface TransactionOptions {
  /** For the whole transaction and for each of its statements; the adapter's own limits when not given. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Rows come back the same from every adapter: text, uuid and varchar as string; int2, int4 and int8 as number; bool
 * as boolean; timestamptz as Date; json and jsonb parsed; bytea as Buffer; arrays as arrays; null as null; numeric, date and timestamp
 * without time zone as text.
 * Parameters: the same types, plus arrays for `unnest`; objects for jsonb are given as JSON text.
 */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>>;
}

/**
 * A connection to PostgreSQL, whichever kind. Errors: DatabaseError with SQLSTATE when a statement is refused;
 * DatabaseUnavailableError when there is no connection, no answer in time, or a server that cannot serve now (full disk,
 * read-only), and DatabaseConflictError, a kind of it, when other statements were in the way.
 */
export interface Database extends Queryable {
  /**
   * Commits when `work` resolves, rolls back when it rejects. Statements of `work` must go through its connection:
   * the embedded database has only this one.
   */
  transaction<T>(work: (connection: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The server's version, such as "15.18". */
  version(): Promise<string>;
  /** Rejects with DatabaseUnavailableError unless the server answers and takes writes. */
  ping(): Promise<void>;
  /** Lets statements in hand finish, then disconnects. Twice is fine. */
  close(): Promise<void>;
}

/** The server refused a statement: for a value of the caller's, or for a bug. */
export class DatabaseError extends Error {
  readonly code = 'database_error';
  /** Five-character SQLSTATE, such as 23505 for a unique violation. */
  readonly sqlState: string;
  readonly constraint: string | undefined;

  constructor(message: string, sqlState: string, constraint?: string, cause?: unknown) {
    super(message, { cause });
    this.sqlState = sqlState;
    this.constraint = constraint;
  }

  /** Whether a value that came with the statement is refused, so that the same statement passes with another one. */
  get isCallersMistake(): boolean {
    return sqlStateRow(this.sqlState).meaning === 'caller';
  }
}

/** The server cannot serve the statement now, or did not answer in time. It may or may not have been done. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'database_unavailable';
  /** What the server said, such as 53100 for a full disk; undefined when it said nothing. */
  readonly sqlState: string | undefined;

  constructor(message: string, { sqlState, ...options }: ErrorOptions & { readonly sqlState?: string } = {}) {
    super(message, options);
    this.sqlState = sqlState;
  }
}

/**
 * The server ended the statement because of others, such as to resolve a deadlock. Nothing was done; the same may pass
 * at once. For callers who do not try again it is an unavailable database.
 */
export class DatabaseConflictError extends DatabaseUnavailableError {}
