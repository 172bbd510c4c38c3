import type { Logger } from '@millrace/service';
import type { Pool, PoolClient } from 'pg';
import { beforeDeadline } from './before-deadline';
import { DIRECT } from './connection-path';
import type { ConnectionPath, ConnectionRules } from './connection-path';
import { DatabaseUnavailableError } from './database';
import type { Database, Queryable, QueryResult, Statement, TransactionOptions } from './database';
import { runTransaction } from './run-transaction';
import { sendStatement } from './send-statement';
import type { Answer } from './send-statement';
import { READ_ONLY } from './sqlstate';
import { connectionAfter, translateError } from './translate-error';

/** A pool whose address leads to a read-only server is dialled anew so often at most. */
const REDIAL_MILLISECONDS = 1_000;
/** And says so in the log so often at most. */
const READ_ONLY_LINE_MILLISECONDS = 60_000;
/** A pooler may refuse how it is dialled; what the next one leaves out is known then. */
const MAXIMUM_DIALS = 3;
/** What a standby says as well, and a server whose default is read-only. Prepared as the statements of runs are. */
const READY = {
  name: 'ready',
  text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
};

export interface PooledDatabaseOptions {
  readonly pool: Pool;
  /** A server without anything before it unless given. */
  readonly path?: ConnectionPath;
  readonly logger: Logger;
  /** Callers that may wait for a free connection; further ones fail at once. */
  readonly maximumWaiting: number;
  readonly transactionTimeoutMilliseconds: number;
  readonly closeTimeoutMilliseconds: number;
  /** Runs once, after the last connection is gone. */
  readonly afterClose?: () => Promise<void>;
}

/** What is known of one connection. */
interface Dialled {
  /** On the clock of `performance`. */
  readonly at: number;
  /** Undefined before its first statement. */
  rules?: ConnectionRules;
}

/** A connection in use, and how to send statements over it. */
interface Usable {
  readonly client: PoolClient;
  readonly rules: ConnectionRules;
}

/** A Database on a pool of connections that speak PostgreSQL's protocol, over a socket or to a worker thread. */
export class PooledDatabase implements Database {
  readonly #options: PooledDatabaseOptions;
  readonly #inHand = new Set<Promise<unknown>>();
  readonly #dialled = new WeakMap<PoolClient, Dialled>();
  /** Connections dialled until then lead to a server that may not be the one behind the address any more. */
  #staleUntil = -1;
  #lastReadOnlyLine = Number.NEGATIVE_INFINITY;
  #closed: Promise<void> | undefined;

  constructor(options: PooledDatabaseOptions) {
    this.#options = options;
    options.pool.on('connect', (client) => this.#dialled.set(client, { at: performance.now() }));
    listenForLostConnections(options.pool, options.logger);
  }

  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>> {
    return this.#withConnection(async (connection) => {
      const { rows, rowCount } = await send<Row>(connection, statement);
      return { rows, rowCount };
    });
  }

  transaction<T>(
    work: (connection: Queryable) => Promise<T>,
    { timeoutMilliseconds }: TransactionOptions = {},
  ): Promise<T> {
    return this.#track(async () => {
      const { client, rules } = await this.#connect();
      const { result, isOver } = await runTransaction(client, work, {
        rules,
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
    await this.#withConnection(async (connection) => {
      const { rows } = await send<{ isReadOnly: boolean }>(connection, READY);
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

  #withConnection<T>(work: (connection: Usable) => Promise<T>): Promise<T> {
    return this.#track(async () => {
      const connection = await this.#connect();
      const { client } = connection;
      try {
        const result = await work(connection);
        client.release();
        return result;
      } catch (error) {
        this.#release(client, error);
        throw error;
      }
    });
  }

  async #connect(): Promise<Usable> {
    const { pool, maximumWaiting } = this.#options;
    if (pool.waitingCount >= maximumWaiting) {
      throw new DatabaseUnavailableError(`${maximumWaiting} callers already wait for a database connection`);
    }
    try {
      let client = await this.#dial();
      // Each turn drops one connection that was dialled before, and there are not more of them than the pool holds.
      while ((this.#dialled.get(client)?.at ?? 0) <= this.#staleUntil) {
        client.release(true);
        client = await this.#dial();
      }
      return { client, rules: this.#dialled.get(client)?.rules ?? (await this.#inspect(client)) };
    } catch (error) {
      throw translateError(error);
    }
  }

  async #dial(): Promise<PoolClient> {
    const { pool, path } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        return await pool.connect();
      } catch (error) {
        if (tries >= MAXIMUM_DIALS || path?.mayRedial(error) !== true) throw error;
      }
    }
  }

  async #inspect(client: PoolClient): Promise<ConnectionRules> {
    try {
      const rules = (await this.#options.path?.inspect(client)) ?? DIRECT;
      const dialled = this.#dialled.get(client);
      if (dialled !== undefined) dialled.rules = rules;
      return rules;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Gives a connection back after an error on it, or drops it. */
  #release(client: PoolClient, error: unknown, isUnusable = false): void {
    const fate = connectionAfter(error);
    const now = performance.now();
    const dialledAt = this.#dialled.get(client)?.at ?? 0;
    // Dialled again and read-only again: the connection is not at fault.
    const isStale = fate === 'all dropped' && now - dialledAt > REDIAL_MILLISECONDS;
    this.#options.path?.observe(error);
    if (isStale && dialledAt > this.#staleUntil) this.#distrustConnections(now, error);
    client.release(isUnusable || isStale || fate === 'dropped');
  }

  /** Those that are there lead to a server that takes no writes; each is dropped when it is asked for next. */
  #distrustConnections(now: number, error: unknown): void {
    this.#staleUntil = now;
    if (now - this.#lastReadOnlyLine < READ_ONLY_LINE_MILLISECONDS) return;
    this.#lastReadOnlyLine = now;
    this.#options.logger.warn({ error }, 'The database is read-only; its connections are dialled again');
  }
}

function send<Row>({ client, rules }: Usable, statement: Statement): Promise<Answer<Row>> {
  const { preparesStatements: isPrepared, cancelAfterMilliseconds } = rules;
  return sendStatement<Row>(client, statement, { isPrepared, cancelAfterMilliseconds });
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
