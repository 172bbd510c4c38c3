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
 * A connection to PostgreSQL, whichever kind. Errors: DatabaseError with SQLSTATE; DatabaseUnavailableError when
 * there is no connection or no answer in time.
 */
export interface Database extends Queryable {
  /**
   * Commits when `work` resolves, rolls back when it rejects. Statements of `work` must go through its connection:
   * the embedded database has only this one.
   */
  transaction<T>(work: (connection: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** The server's version, such as "15.18". */
  version(): Promise<string>;
  ping(): Promise<void>;
  /** Lets statements in hand finish, then disconnects. Twice is fine. */
  close(): Promise<void>;
}

/** The server refused a statement. */
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
}

/** No connection, or no answer in time. What was in flight may or may not have happened. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'database_unavailable';
}
