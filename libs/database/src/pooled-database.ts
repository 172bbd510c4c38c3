import type { Logger } from '@millrace/service';
import type { Pool, PoolClient } from 'pg';
import { beforeDeadline } from './before-deadline';
import { DatabaseUnavailableError } from './database';
import type { Database, Queryable, QueryResult, Statement, TransactionOptions } from './database';
import { runTransaction } from './run-transaction';
import { sendStatement } from './send-statement';
import { leavesConnectionUsable, translateError } from './translate-error';

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
  #closed: Promise<void> | undefined;

  constructor(options: PooledDatabaseOptions) {
    this.#options = options;
    listenForLostConnections(options.pool, options.logger);
  }

  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>> {
    return this.#track(async () => {
      const client = await this.#connect();
      let usable = true;
      try {
        const { rows, rowCount } = await sendStatement<Row>(client, statement);
        return { rows, rowCount };
      } catch (error) {
        usable = error instanceof Error && leavesConnectionUsable(error);
        throw error;
      } finally {
        client.release(!usable);
      }
    });
  }

  transaction<T>(
    work: (connection: Queryable) => Promise<T>,
    { timeoutMilliseconds }: TransactionOptions = {},
  ): Promise<T> {
    return this.#track(async () => {
      const client = await this.#connect();
      const { result, connectionUsable } = await runTransaction(client, work, {
        timeoutMilliseconds: timeoutMilliseconds ?? this.#options.transactionTimeoutMilliseconds,
        ...(timeoutMilliseconds === undefined ? {} : { statementTimeoutMilliseconds: timeoutMilliseconds }),
      });
      client.release(!connectionUsable);
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  async version(): Promise<string> {
    const { rows } = await this.query<{ server_version: string }>({ text: 'SHOW server_version' });
    return rows[0]?.server_version.split(' ')[0] ?? '';
  }

  async ping(): Promise<void> {
    await this.query({ text: 'SELECT 1' });
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

  async #connect(): Promise<PoolClient> {
    const { pool, maximumWaiting } = this.#options;
    if (pool.waitingCount >= maximumWaiting) {
      throw new DatabaseUnavailableError(`${maximumWaiting} callers already wait for a database connection`);
    }
    try {
      return await pool.connect();
    } catch (error) {
      throw translateError(error);
    }
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
