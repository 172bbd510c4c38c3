import type { Logger } from '@millrace/service';
import { DatabaseError as ServerError } from 'pg';
import type { ClientBase, Pool } from 'pg';
import type { ConnectionPath, ConnectionRules } from '../connection-path';
import { DatabaseUnavailableError } from '../database';
import { sendStatement } from '../send-statement';
import { PREPARED_STATEMENT_LOST } from '../sqlstate';

/** `auto`: statements are prepared unless a pooler stands before the server, or loses one. */
export type PreparedStatements = 'auto' | 'on' | 'off';

export interface PostgresPathOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly preparedStatements: PreparedStatements;
  readonly statementTimeoutMilliseconds: number;
  readonly transactionTimeoutMilliseconds: number;
  readonly connectionTimeoutMilliseconds: number;
}

/** As PgBouncer words it. */
const REFUSED_PARAMETER = /unsupported startup parameter(?: in options)?: (?<name>\S+)/u;
const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * The way to a PostgreSQL server, which may lead through a pooler. A pooler hands each transaction to some connection of
 * its own: what is set or prepared on one is not there on the next. It is recognized by the backend's process id, which
 * is not the one of the connection, or because it refuses limits at the start of a connection. Then limits are set in
 * each transaction, statements outside of transactions are cancelled by the service, and none is prepared.
 */
export class PostgresPath implements ConnectionPath {
  readonly #options: PostgresPathOptions;
  readonly #direct: ConnectionRules;
  readonly #pooled: ConnectionRules;
  #sendsLimits = true;
  #hasLostStatements = false;
  #isPoolerKnown = false;

  constructor(options: PostgresPathOptions) {
    this.#options = options;
    const { statementTimeoutMilliseconds, preparedStatements } = options;
    const mayPrepare = () => !this.#hasLostStatements;
    this.#direct = {
      get preparesStatements() {
        return preparedStatements === 'auto' ? mayPrepare() : preparedStatements === 'on';
      },
      transactionSettings: [],
      cancelAfterMilliseconds: undefined,
    };
    this.#pooled = {
      preparesStatements: preparedStatements === 'on',
      transactionSettings: this.#limits(),
      cancelAfterMilliseconds: statementTimeoutMilliseconds,
    };
  }

  async inspect(client: ClientBase): Promise<ConnectionRules> {
    const limits = this.#sendsLimits
      ? ''
      : this.#limits()
          .map((limit) => `SET ${limit}; `)
          .join('');
    const ask = <Row>(text: string) =>
      sendStatement<Row>(
        client,
        { text },
        { isPrepared: false, timeoutMilliseconds: this.#options.connectionTimeoutMilliseconds },
      );
    const { rows } = await ask<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { processID } = client as unknown as { readonly processID: number | null };
    if (rows[0]?.pid !== processID) {
      this.#noticePooler();
      return this.#pooled;
    }
    // The address led to a pooler once, and leads to the server now.
    if (limits !== '') await ask(limits);
    return this.#direct;
  }

  mayRedial(error: unknown): boolean {
    const name = refusedParameter(error);
    if (name === undefined) return false;
    if (!LIMITS.some((limit) => limit === name)) {
      throw new DatabaseUnavailableError(
        `The pooler before the database refuses "${name}" of the connection string; set it on the role or the database (ALTER ROLE … SET), or connect without the pooler`,
        { cause: error },
      );
    }
    const { pool } = this.#options;
    this.#sendsLimits = false;
    pool.options.statement_timeout = false;
    pool.options.idle_in_transaction_session_timeout = 0;
    return true;
  }

  observe(error: unknown): void {
    if (this.#hasLostStatements || this.#options.preparedStatements !== 'auto') return;
    if (!(error instanceof DatabaseUnavailableError)) return;
    if (error.sqlState === undefined || !PREPARED_STATEMENT_LOST.has(error.sqlState)) return;
    this.#hasLostStatements = true;
    this.#options.logger.warn(
      { error },
      'The database lost a prepared statement; none is prepared from now on',
    );
  }

  #limits(): string[] {
    const { statementTimeoutMilliseconds, transactionTimeoutMilliseconds } = this.#options;
    return [
      `statement_timeout = ${Math.ceil(statementTimeoutMilliseconds)}`,
      `idle_in_transaction_session_timeout = ${Math.ceil(transactionTimeoutMilliseconds)}`,
    ];
  }

  #noticePooler(): void {
    if (this.#isPoolerKnown) return;
    this.#isPoolerKnown = true;
    const preparedStatements = this.#pooled.preparesStatements ? 'on' : 'off';
    this.#options.logger.info({ preparedStatements }, 'Database: behind a connection pooler');
  }
}

function refusedParameter(error: unknown): string | undefined {
  if (!(error instanceof ServerError)) return undefined;
  return REFUSED_PARAMETER.exec(error.message)?.groups?.['name'];
}
