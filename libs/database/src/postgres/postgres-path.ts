import type { Logger } from '@millrace/service';
import { DatabaseError as ServerError } from 'pg';
import type { ClientBase, Pool } from 'pg';
import type { ConnectionPath, ConnectionRules } from '../connection-path';
import { DatabaseUnavailableError } from '../database';
import { sendStatement } from '../send-statement';
import { PREPARED_STATEMENT_LOST, READ_ONLY } from '../sqlstate';
import type { DatabaseHosts } from './hosts/database-hosts';

/** `auto`: statements are prepared unless a pooler precedes the server or a prepared statement is lost. */
export type PreparedStatements = 'auto' | 'on' | 'off';

export interface PostgresPathOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly preparedStatements: PreparedStatements;
  /** Undefined when the address names one host. */
  readonly hosts?: DatabaseHosts | undefined;
  readonly statementTimeoutMilliseconds: number;
  readonly transactionTimeoutMilliseconds: number;
  readonly connectionTimeoutMilliseconds: number;
}

/** The error message of PgBouncer. */
const REFUSED_PARAMETER = /unsupported startup parameter(?: in options)?: (?<name>\S+)/u;
/** The pool's own error when no connection became free; it says nothing about the server. */
const POOL_IS_BUSY = 'timeout exceeded when trying to connect';
/** Classes of errors that another host of the same cluster returns as well: the login, the database, a full server. */
const REFUSED_EVERYWHERE = /^(?:28|3D|53)/u;
const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * The path to a PostgreSQL server, possibly through a pooler. A pooler assigns each transaction to one of its own
 * connections, so settings and prepared statements of one transaction are missing in the next. A pooler is recognized
 * by the backend's process id, which differs from the connection's, or because it refuses limits as connection
 * parameters. Then limits are set in each transaction, the service cancels statements outside of transactions, and no
 * statement is prepared.
 */
export class PostgresPath implements ConnectionPath {
  readonly locate: (() => Promise<void>) | undefined;
  readonly #options: PostgresPathOptions;
  readonly #direct: ConnectionRules;
  readonly #pooled: ConnectionRules;
  #sendsLimits = true;
  #hasLostStatements = false;
  #isPoolerKnown = false;

  constructor(options: PostgresPathOptions) {
    this.#options = options;
    const { statementTimeoutMilliseconds, preparedStatements } = options;
    this.locate = options.hosts && (() => this.#locate());
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
    const run = <Row>(text: string) =>
      sendStatement<Row>(
        client,
        { text },
        { isPrepared: false, timeoutMilliseconds: this.#options.connectionTimeoutMilliseconds },
      );
    await this.#options.hosts?.admit(client);
    const { rows } = await run<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { processID } = client as unknown as { readonly processID: number | null };
    if (rows[0]?.pid !== processID) {
      this.#noticePooler();
      return this.#pooled;
    }
    // The address led to a pooler earlier and now leads to the server.
    if (limits !== '') await run(limits);
    return this.#direct;
  }

  shouldReconnect(error: unknown): boolean {
    const name = refusedParameter(error);
    if (name === undefined) return this.#mayLeadElsewhere(error);
    if (!LIMITS.some((limit) => limit === name)) {
      throw new DatabaseUnavailableError(
        `The pooler refuses the parameter "${name}" of the connection string; set it on the role or the database (ALTER ROLE … SET), or connect without the pooler`,
        { cause: error },
      );
    }
    const { pool } = this.#options;
    this.#sendsLimits = false;
    pool.options.statement_timeout = false;
    pool.options.idle_in_transaction_session_timeout = 0;
    return true;
  }

  onMove(listener: () => void): void {
    if (this.#options.hosts) this.#options.hosts.onMove = listener;
  }

  close(): void {
    this.#options.hosts?.close();
  }

  observe(error: unknown): void {
    if (error instanceof DatabaseUnavailableError && error.sqlState === READ_ONLY)
      this.#options.hosts?.doubt();
    if (this.#hasLostStatements || this.#options.preparedStatements !== 'auto') return;
    if (!(error instanceof DatabaseUnavailableError)) return;
    if (error.sqlState === undefined || !PREPARED_STATEMENT_LOST.has(error.sqlState)) return;
    this.#hasLostStatements = true;
    this.#options.logger.warn({ error }, 'database lost a prepared statement; prepared statements disabled');
  }

  async #locate(): Promise<void> {
    const { pool, hosts } = this.#options;
    const address = await hosts?.locate();
    if (address === undefined) return;
    pool.options.connectionString = address.url;
    pool.options.ssl = address.ssl;
  }

  /** Whether the next try can reach another host. */
  #mayLeadElsewhere(error: unknown): boolean {
    const { hosts } = this.#options;
    if (hosts === undefined || error instanceof DatabaseUnavailableError) return false;
    if (error instanceof ServerError && REFUSED_EVERYWHERE.test(error.code ?? '')) return false;
    if (error instanceof Error && error.message === POOL_IS_BUSY) return false;
    hosts.doubt();
    return true;
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
