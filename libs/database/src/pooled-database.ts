import type { Logger } from '@millrace/service';
import type { Pool, PoolClient } from 'pg';
import { beforeDeadline } from './before-deadline';
import { DatabaseUnavailableError } from './database';
import type { Database, Queryable, QueryResult, Statement, TransactionOptions } from './database';
import { runTransaction } from './run-transaction';
import { sendStatement } from './send-statement';
import { READ_ONLY } from './sqlstate';
import { connectionAfter, translateError } from './translate-error';

/** A pool whose address leads to a read-only server is dialled anew so often at most. */
const REDIAL_MILLISECONDS = 1_000;
/** What a standby says as well, and a server whose default is read-only. Prepared as the statements of runs are. */
const READY = {
  name: 'ready',
  text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
};

export interface PooledDatabaseOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  /** Callers that may wait for a free connection; further ones fail at once. */
  readonly maximumWaiting: number;
  readonly transactionTimeoutMilliseconds: number;
  readonly closeTimeoutMilliseconds: number;
  /** Runs once, after the last connection is gone. */
  readonly afterClose?: () => Promise<void>;
}

/** A Database on a pool of connections that speak PostgreSQL's protocol, over a socket or to a worker thread. */
export class PooledDatabase implements Database {
  readonly #options: PooledDatabaseOptions;
  readonly #inHand = new Set<Promise<unknown>>();
  /** When each connection was dialled. */
  readonly #dialled = new WeakMap<PoolClient, number>();
  /** Connections dialled until then lead to a server that may not be the one behind the address any more. */
  #staleUntil = -1;
  #closed: Promise<void> | undefined;

  constructor(options: PooledDatabaseOptions) {
    this.#options = options;
    options.pool.on('connect', (client) => this.#dialled.set(client, performance.now()));
    listenForLostConnections(options.pool, options.logger);
  }

  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>> {
    return this.#withConnection(async (client) => {
      const { rows, rowCount } = await sendStatement<Row>(client, statement);
      return { rows, rowCount };
    });
  }

  transaction<T>(
    work: (connection: Queryable) => Promise<T>,
    { timeoutMilliseconds }: TransactionOptions = {},
  ): Promise<T> {
    return this.#track(async () => {
      const client = await this.#connect();
      const { result, isOver } = await runTransaction(client, work, {
        timeoutMilliseconds: timeoutMilliseconds ?? this.#options.transactionTimeoutMilliseconds,
        ...(timeoutMilliseconds === undefined ? {} : { statementTimeoutMilliseconds: timeoutMilliseconds }),
      });
      if (result.status === 'fulfilled') {
        client.release();
        return result.value;
      }
      this.#release(client, result.reason, !isOver);
      throw result.reason;
    });
  }

  async version(): Promise<string> {
    const { rows } = await this.query<{ server_version: string }>({ text: 'SHOW server_version' });
    return rows[0]?.server_version.split(' ')[0] ?? '';
  }

  async ping(): Promise<void> {
    await this.#withConnection(async (client) => {
      const { rows } = await sendStatement<{ isReadOnly: boolean }>(client, READY);
      if (rows[0]?.isReadOnly !== false) {
        throw new DatabaseUnavailableError('The database is read-only', { sqlState: READ_ONLY });
      }
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { pool, logger, closeTimeoutMilliseconds, afterClose } = this.#options;
    const finished = Promise.allSettled(this.#inHand).then(() => pool.end());
    try {
      await beforeDeadline(finished, closeTimeoutMilliseconds, 'Closing the database');
    } catch (error) {
      logger.warn({ error }, 'The database was closed while statements were running');
    }
    await afterClose?.();
  }

  #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailableError('The database is closed'));
    const promise = work();
    this.#inHand.add(promise);
    const forget = () => this.#inHand.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  #withConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#track(async () => {
      const client = await this.#connect();
      try {
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        this.#release(client, error);
        throw error;
      }
    });
  }

  async #connect(): Promise<PoolClient> {
    const { pool, maximumWaiting } = this.#options;
    if (pool.waitingCount >= maximumWaiting) {
      throw new DatabaseUnavailableError(`${maximumWaiting} callers already wait for a database connection`);
    }
    try {
      let client = await pool.connect();
      // Each turn drops one connection that was dialled before, and there are not more of them than the pool holds.
      while (this.#dialledAt(client) <= this.#staleUntil) {
        client.release(true);
        client = await pool.connect();
      }
      return client;
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Gives a connection back after an error on it, or drops it. */
  #release(client: PoolClient, error: unknown, isUnusable = false): void {
    const fate = connectionAfter(error);
    const now = performance.now();
    // Dialled again and read-only again: the connection is not at fault.
    const isStale = fate === 'all dropped' && now - this.#dialledAt(client) > REDIAL_MILLISECONDS;
    if (isStale && this.#dialledAt(client) > this.#staleUntil) {
      this.#staleUntil = now;
      this.#options.logger.warn({ error }, 'The database is read-only; all connections are dialled again');
    }
    client.release(isUnusable || isStale || fate === 'dropped');
  }

  #dialledAt(client: PoolClient): number {
    return this.#dialled.get(client) ?? 0;
  }
}

/** Without listeners, the 'error' event of a connection that breaks would end the process. */
function listenForLostConnections(pool: Pool, logger: Logger): void {
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      logger.warn({ error }, 'A database connection was lost');
    });
  });
  pool.on('error', () => {
    // An idle connection broke: the listener above has written it down, and the pool has dropped it.
  });
}
