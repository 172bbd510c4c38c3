import type { Logger, Metrics } from '@millrace/service';
import { resolve } from 'node:path';
import type { Database } from '../database';
import type { Durability } from '../durability';
import { DataDirectoryLock } from './data-directory-lock';
import { databaseOf } from './database-of-server';
import { EmbeddedServer } from './embedded-server';
import { prepareDataDirectory } from './prepare-data-directory';
import { TableStatistics } from './table-statistics';

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
  /** Interval at which the statistics of changed tables are renewed; one minute unless given. */
  readonly statisticsIntervalMilliseconds?: number;
}

/** Opens PGlite in a worker thread, behind the same driver as a server. Throws DataDirectoryInUseError. */
export async function openEmbeddedDatabase({
  dataDirectory,
  durability = 'fsync',
  image,
  name,
  logger,
  statisticsIntervalMilliseconds,
  ...poolOptions
}: EmbeddedOptions): Promise<Database> {
  const path = dataDirectory === undefined ? undefined : resolve(dataDirectory);
  const lock = path === undefined ? undefined : DataDirectoryLock.acquire(path, name);
  try {
    if (path !== undefined) await prepareDataDirectory({ dataDirectory: path, durability, logger });
    const server = await EmbeddedServer.start({ dataDirectory: path, durability, image, logger });
    const database = databaseOf(server, {
      ...poolOptions,
      logger,
      afterClose: async () => {
        statistics.stop();
        await server.close();
        lock?.release();
      },
    });
    const statistics = new TableStatistics(database, logger, statisticsIntervalMilliseconds);
    return database;
  } catch (error) {
    lock?.release();
    throw error;
  }
}
