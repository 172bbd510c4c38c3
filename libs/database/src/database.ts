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

/** Options of a transaction that takes longer than requests do, such as a migration. */
export interface TransactionOptions {
  /** Limit of the whole transaction and of each statement; the adapter's limits unless given. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Every adapter returns the same types: text, uuid and varchar as string; int2, int4 and int8 as number; bool as
 * boolean; timestamptz as Date; json and jsonb parsed; bytea as Buffer; arrays as arrays; null as null; numeric, date
 * and timestamp without time zone as text. Parameters take the same types, plus arrays for `unnest`; objects for jsonb
 * are passed as JSON text.
 */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>>;
}

/** Statements and transactions, on a connection or within a larger transaction. */
export interface Transactional extends Queryable {
  /**
   * Commits when `work` resolves, rolls back when it rejects. Statements of `work` must use its connection: the
   * embedded database has only one.
   */
  transaction<T>(work: (connection: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/**
 * A connection to PostgreSQL of either kind. Errors: DatabaseError with the SQLSTATE when a statement is refused;
 * DatabaseUnavailableError when there is no connection, no answer in time, or the server cannot serve now (full disk,
 * read-only); and DatabaseConflictError, a subclass of it, when the statement conflicted with others.
 */
export interface Database extends Transactional {
  /** The server's version, such as "15.18". */
  version(): Promise<string>;
  /** Rejects with DatabaseUnavailableError unless the server answers and accepts writes. */
  ping(): Promise<void>;
  /** Completes statements in flight, then disconnects. Idempotent. */
  close(): Promise<void>;
}

/** The server refused a statement, because of a value of the caller or because of a bug. */
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

  /** Whether the server refused a parameter value, so that the same statement can succeed with another value. */
  get isCallerError(): boolean {
    return sqlStateRow(this.sqlState).meaning === 'caller';
  }
}

/** The server cannot serve the statement now, or did not answer in time. The statement may have been executed. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'database_unavailable';
  /** The server's SQLSTATE, such as 53100 for a full disk; undefined when the server did not answer. */
  readonly sqlState: string | undefined;

  constructor(message: string, { sqlState, ...options }: ErrorOptions & { readonly sqlState?: string } = {}) {
    super(message, options);
    this.sqlState = sqlState;
  }
}

/**
 * The server ended the statement because of concurrent ones, such as to resolve a deadlock. Nothing was executed, and
 * an immediate retry can succeed. Callers that do not retry treat it as an unavailable database.
 */
export class DatabaseConflictError extends DatabaseUnavailableError {}
