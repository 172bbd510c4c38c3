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
import { wasCancelled } from './cancel-statement';
import { connectionFate, translateError } from './translate-error';

/** Minimum interval at which a pool reconnects while its address leads to a read-only server. */
const RECONNECT_MILLISECONDS = 1_000;
/** Minimum interval of the log line about a read-only server. */
const READ_ONLY_LINE_MILLISECONDS = 60_000;
/** A pooler can refuse connection parameters; the next try then omits them. */
const MAXIMUM_CONNECT_TRIES = 3;
/** Also 'on' for a standby and for a server that is read-only by default. Prepared like the statements about runs. */
const READY = {
  name: 'ready',
  text: `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
};

export interface PooledDatabaseOptions {
  readonly pool: Pool;
  /** A direct connection to the server unless given. */
  readonly path?: ConnectionPath;
  readonly logger: Logger;
  /** Maximum number of callers that wait for a free connection; further ones fail at once. */
  readonly maximumWaiting: number;
  readonly transactionTimeoutMilliseconds: number;
  readonly closeTimeoutMilliseconds: number;
  /** Runs once, after the last connection is closed. */
  readonly afterClose?: () => Promise<void>;
}

/** State of one connection. */
interface ConnectionState {
  /** By performance.now(). */
  readonly at: number;
  /** Undefined before the first statement. */
  rules?: ConnectionRules;
}

/** A connection in use, with the rules for sending statements over it. */
interface UsableConnection {
  readonly client: PoolClient;
  readonly rules: ConnectionRules;
}

/** A Database on a pool of connections that use PostgreSQL's protocol, over a socket or to a worker thread. */
export class PooledDatabase implements Database {
  readonly #options: PooledDatabaseOptions;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #connections = new Map<PoolClient, ConnectionState>();
  /** Connections established up to this time may lead to a server that is no longer behind the address. */
  #staleUntil = -1;
  #lastReadOnlyLine = Number.NEGATIVE_INFINITY;
  #closed: Promise<void> | undefined;

  constructor(options: PooledDatabaseOptions) {
    this.#options = options;
    options.pool.on('connect', (client) => this.#connections.set(client, { at: performance.now() }));
    options.pool.on('remove', (client) => this.#connections.delete(client));
    options.path?.onMove?.(() => this.#leaveServer());
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
        statementTimeoutMilliseconds: timeoutMilliseconds,
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
    const { pool, path, logger, closeTimeoutMilliseconds, afterClose } = this.#options;
    const finished = Promise.allSettled(this.#inFlight).then(() => pool.end());
    try {
      await beforeDeadline(finished, closeTimeoutMilliseconds, 'Closing the database');
    } catch (error) {
      logger.warn({ error }, 'database closed while statements were running');
    }
    path?.close?.();
    await afterClose?.();
  }

  #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailableError('The database is closed'));
    const promise = work();
    this.#inFlight.add(promise);
    const untrack = () => this.#inFlight.delete(promise);
    promise.then(untrack, untrack);
    return promise;
  }

  #withConnection<T>(work: (connection: UsableConnection) => Promise<T>): Promise<T> {
    return this.#track(async () => {
      const connection = await this.#connect();
      const { client } = connection;
      try {
        const result = await work(connection);
        client.release(wasCancelled(client));
        return result;
      } catch (error) {
        this.#release(client, error);
        throw error;
      }
    });
  }

  async #connect(): Promise<UsableConnection> {
    const { pool, maximumWaiting } = this.#options;
    if (pool.waitingCount >= maximumWaiting) {
      throw new DatabaseUnavailableError(
        `The limit of ${maximumWaiting} callers that wait for a database connection is reached`,
      );
    }
    try {
      let client = await this.#connectOnce();
      // Each iteration drops one stale connection, and there are not more of them than the pool holds.
      while ((this.#connections.get(client)?.at ?? 0) <= this.#staleUntil) {
        client.release(true);
        client = await this.#connectOnce();
      }
      return { client, rules: this.#connections.get(client)?.rules ?? (await this.#inspect(client)) };
    } catch (error) {
      throw translateError(error);
    }
  }

  async #connectOnce(): Promise<PoolClient> {
    const { pool, path } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        if (path?.locate) await path.locate();
        return await pool.connect();
      } catch (error) {
        if (tries >= MAXIMUM_CONNECT_TRIES || path?.shouldReconnect(error) !== true) throw error;
      }
    }
  }

  async #inspect(client: PoolClient): Promise<ConnectionRules> {
    try {
      const rules = (await this.#options.path?.inspect(client)) ?? DIRECT;
      const state = this.#connections.get(client);
      if (state !== undefined) state.rules = rules;
      return rules;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Returns a connection to the pool after an error, or drops it. */
  #release(client: PoolClient, error: unknown, isUnusable = false): void {
    const fate = connectionFate(error);
    const now = performance.now();
    const connectedAt = this.#connections.get(client)?.at ?? 0;
    // A new connection that is read-only again is not stale.
    const isStale = fate === 'all dropped' && now - connectedAt > RECONNECT_MILLISECONDS;
    this.#options.path?.observe(error);
    if (isStale && connectedAt > this.#staleUntil) this.#markConnectionsStale(now, error);
    client.release(isUnusable || isStale || fate === 'dropped' || wasCancelled(client));
  }

  /**
   * Ends the connections to a server that another one has replaced. Statements in flight fail; those that the server
   * has executed are lost if it was cut off.
   */
  #leaveServer(): void {
    this.#staleUntil = performance.now();
    // The pool drops idle ones at their next use.
    for (const client of this.#connections.keys()) void client.end().catch(() => undefined);
  }

  /** Marks existing connections as stale, because their server is read-only; each is dropped at its next use. */
  #markConnectionsStale(now: number, error: unknown): void {
    this.#staleUntil = now;
    if (now - this.#lastReadOnlyLine < READ_ONLY_LINE_MILLISECONDS) return;
    this.#lastReadOnlyLine = now;
    this.#options.logger.warn({ error }, 'database is read-only; reconnecting');
  }
}

function send<Row>({ client, rules }: UsableConnection, statement: Statement): Promise<Answer<Row>> {
  const { preparesStatements: isPrepared, cancelAfterMilliseconds } = rules;
  return sendStatement<Row>(client, statement, { isPrepared, cancelAfterMilliseconds });
}

/** Without a listener, the 'error' event of a broken connection would end the process. */
function listenForLostConnections(pool: Pool, logger: Logger): void {
  pool.on('connect', (client) => {
    client.on('error', (error) => {
      logger.warn({ error }, 'database connection lost');
    });
  });
  pool.on('error', () => {
    // An idle connection broke: the listener above has logged it, and the pool has dropped it.
  });
}
