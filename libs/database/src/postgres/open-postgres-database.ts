import type { Logger, Metrics } from '@millrace/service';
import type { ConnectionOptions } from 'node:tls';
import { Pool } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import { measurePool } from '../measure-pool';
import { PooledDatabase } from '../pooled-database';
import type { DatabaseHosts } from './hosts/database-hosts';
import { PostgresPath } from './postgres-path';
import type { PreparedStatements } from './postgres-path';

export interface PostgresOptions {
  /** postgres://user:password@host:port/database */
  readonly url: string;
  /** Chooses among several hosts, whose URL then replaces `url`; closed with the database. */
  readonly hosts?: DatabaseHosts | undefined;
  /** Encryption of connections; undefined or false for none. */
  readonly ssl?: ConnectionOptions | false;
  /** Shown by the server as application_name. */
  readonly name: string;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly maximumConnections?: number;
  /** `auto` unless given. */
  readonly preparedStatements?: PreparedStatements;
  readonly connectionTimeoutMilliseconds?: number;
  readonly statementTimeoutMilliseconds?: number;
  readonly transactionTimeoutMilliseconds?: number;
  readonly closeTimeoutMilliseconds?: number;
}

/**
 * Opens a PostgreSQL server, directly or through a pooler, with a connection pool in this process. Connects with the
 * first statement, and again after each loss.
 */
export function openPostgresDatabase({
  url,
  ssl = false,
  hosts,
  name,
  logger,
  metrics,
  maximumConnections = 10,
  preparedStatements = 'auto',
  connectionTimeoutMilliseconds = 2_000,
  statementTimeoutMilliseconds = 30_000,
  transactionTimeoutMilliseconds = 60_000,
  closeTimeoutMilliseconds = 10_000,
}: PostgresOptions): Database {
  const pool = new Pool({
    connectionString: url,
    ssl,
    application_name: name,
    max: maximumConnections,
    connectionTimeoutMillis: connectionTimeoutMilliseconds,
    statement_timeout: statementTimeoutMilliseconds,
    // The server cancels a statement first and reports that; this limit is for a server that no longer answers.
    query_timeout: statementTimeoutMilliseconds + 1_000,
    idle_in_transaction_session_timeout: transactionTimeoutMilliseconds,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types: columnTypes,
  });
  if (metrics) measurePool(pool, maximumConnections, metrics);
  const path = new PostgresPath({
    pool,
    logger,
    preparedStatements,
    hosts,
    statementTimeoutMilliseconds,
    transactionTimeoutMilliseconds,
    connectionTimeoutMilliseconds,
  });
  return new PooledDatabase({
    pool,
    path,
    logger,
    maximumWaiting: 1_000,
    transactionTimeoutMilliseconds,
    closeTimeoutMilliseconds,
  });
}
