import type { Logger, Metrics } from '@millrace/service';
import { resolve } from 'node:path';
import { Pool } from 'pg';
import { columnTypes } from '../column-types';
import type { Database } from '../database';
import type { Durability } from '../durability';
import { measurePool } from '../measure-pool';
import { PooledDatabase } from '../pooled-database';
import { DataDirectoryLock } from './data-directory-lock';
import { EmbeddedConnection } from './embedded-connection';
import { EmbeddedServer } from './embedded-server';
import { prepareDataDirectory } from './prepare-data-directory';

export interface EmbeddedOptions {
  /** Directory of the data; undefined for a database in memory that ends with close(). */
  readonly dataDirectory: string | undefined;
  /** `fsync` unless given; has no effect in memory. */
  readonly durability?: Durability | undefined;
  /** Path of an archive that a database in memory begins with; empty unless given. */
  readonly image?: string;
  /** Name of the program, shown to others that try to use the same directory. */
  readonly name: string;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly statementTimeoutMilliseconds?: number;
  readonly transactionTimeoutMilliseconds?: number;
  readonly closeTimeoutMilliseconds?: number;
}

/**
 * Opens PGlite in a worker thread, behind the same driver as a server. It has one connection: statements queue for it,
 * and a transaction holds it until it ends. Throws DataDirectoryInUseError.
 */
export async function openEmbeddedDatabase({
  dataDirectory,
  durability = 'fsync',
  image,
  name,
  logger,
  metrics,
  statementTimeoutMilliseconds = 30_000,
  transactionTimeoutMilliseconds = 60_000,
  closeTimeoutMilliseconds = 10_000,
}: EmbeddedOptions): Promise<Database> {
  const path = dataDirectory === undefined ? undefined : resolve(dataDirectory);
  const lock = path === undefined ? undefined : DataDirectoryLock.acquire(path, name);
  try {
    if (path !== undefined) await prepareDataDirectory({ dataDirectory: path, durability, logger });
    const server = await EmbeddedServer.start({ dataDirectory: path, durability, image, logger });
    const pool = new Pool({
      stream: () => new EmbeddedConnection(server),
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
      // With a single connection this is the maximum time a statement waits for the connection.
      connectionTimeoutMillis: 10_000,
      query_timeout: statementTimeoutMilliseconds,
      types: columnTypes,
    });
    if (metrics) measurePool(pool, 1, metrics);
    return new PooledDatabase({
      pool,
      logger,
      maximumWaiting: 10_000,
      transactionTimeoutMilliseconds,
      closeTimeoutMilliseconds,
      afterClose: async () => {
        await server.close();
        lock?.release();
      },
    });
  } catch (error) {
    lock?.release();
    throw error;
  }
}
