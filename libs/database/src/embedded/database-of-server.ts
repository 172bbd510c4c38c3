import type { Logger, Metrics } from '@millrace/service';
import { Pool } from 'pg';
import type { ClientConfig } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import { measurePool } from '../measure-pool';
import { PooledDatabase } from '../pooled-database';
import { EmbeddedConnection } from './embedded-connection';
import type { ExchangePartner, ExchangeServer } from './embedded-connection';

export interface EmbeddedPoolOptions {
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  readonly statementTimeoutMilliseconds?: number | undefined;
  readonly transactionTimeoutMilliseconds?: number | undefined;
  readonly closeTimeoutMilliseconds?: number | undefined;
  /** Runs once, after the connection is closed. */
  readonly afterClose: () => Promise<void>;
}

/**
 * Returns a Database over the one connection of an embedded server: statements queue for it, and a transaction holds it
 * until it ends.
 */
export function databaseOf<Partner extends ExchangePartner>(
  server: ExchangeServer<Partner>,
  {
    logger,
    metrics,
    statementTimeoutMilliseconds = 30_000,
    transactionTimeoutMilliseconds = 60_000,
    closeTimeoutMilliseconds = 10_000,
    afterClose,
  }: EmbeddedPoolOptions,
): Database {
  const pool = new Pool({
    ...clientOptions(server),
    max: 1,
    idleTimeoutMillis: 0,
    // With a single connection this is the maximum time a statement waits for the connection.
    connectionTimeoutMillis: 10_000,
    query_timeout: statementTimeoutMilliseconds,
  });
  if (metrics) measurePool(pool, 1, metrics);
  return new PooledDatabase({
    pool,
    logger,
    maximumWaiting: 10_000,
    transactionTimeoutMilliseconds,
    closeTimeoutMilliseconds,
    afterClose,
  });
}

/** Options of the driver for a connection to an embedded server. */
export function clientOptions<Partner extends ExchangePartner>(
  server: ExchangeServer<Partner>,
): ClientConfig {
  return {
    stream: () => new EmbeddedConnection(server),
    user: 'postgres',
    database: 'postgres',
    types: columnTypes,
  };
}
