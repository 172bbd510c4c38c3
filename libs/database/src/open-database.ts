import { postgresHosts, postgresPlace } from '@millrace/service';
import type { Logger, Metrics, TlsMaterial } from '@millrace/service';
import type { Database } from './database';
import type { Durability } from './durability';
import { openEmbeddedDatabase } from './embedded/open-embedded-database';
import { chooseEncryption } from './postgres/choose-encryption';
import { DatabaseHosts } from './postgres/hosts/database-hosts';
import { openPostgresDatabase } from './postgres/open-postgres-database';
import type { PreparedStatements } from './postgres/postgres-path';

export interface OpenDatabaseOptions {
  /** URL of a PostgreSQL server, with one host or several; undefined for the embedded database. */
  readonly url: string | undefined;
  /** Data directory of the embedded database; undefined to keep the data in memory. */
  readonly dataDirectory?: string | undefined;
  /** Durability of the embedded database; `fsync` unless given. */
  readonly durability?: Durability | undefined;
  readonly logger: Logger;
  /** Receives the use of connections. */
  readonly metrics?: Metrics;
  /** Name of the program, for the server's list of connections and for the lock of the directory. */
  readonly name: string;
  /** Certificates and key for a server, in addition to those that its URL names. */
  readonly tls?: TlsMaterial | undefined;
  /** Size of a server's connection pool; the embedded database has one connection. */
  readonly maximumConnections?: number;
  /** Use of prepared statements on a server; `auto` unless given. */
  readonly preparedStatements?: PreparedStatements | undefined;
}

/** Opens the database that the settings select, and logs which one it is. */
export async function openDatabase({
  url,
  tls,
  dataDirectory,
  durability = 'fsync',
  logger,
  metrics,
  name,
  maximumConnections = 10,
  preparedStatements = 'auto',
}: OpenDatabaseOptions): Promise<Database> {
  if (url !== undefined) {
    logger.info({ server: postgresPlace(url), maximumConnections }, 'Database: PostgreSQL');
    const several = postgresHosts(url);
    const encrypted = await chooseEncryption(several.urls[0], tls);
    const hosts =
      several.urls.length === 1 ? undefined : new DatabaseHosts({ hosts: several, tls, name, logger });
    metrics?.gauge(
      'millrace_database_hosts',
      'Hosts of DATABASE_URL by state: chosen, usable, refused (a standby, read-only, a former primary) or unreachable',
      () => hosts?.countHosts() ?? [[1, { state: 'chosen' }]],
    );
    return openPostgresDatabase({
      ...encrypted,
      hosts,
      name,
      logger,
      maximumConnections,
      preparedStatements,
      ...(metrics && { metrics }),
    });
  }
  const database = await openEmbeddedDatabase({
    dataDirectory,
    durability,
    name,
    logger,
    ...(metrics && { metrics }),
  });
  logger.info(
    dataDirectory === undefined ? { dataDirectory: 'in memory' } : { dataDirectory, durability },
    'Database: embedded',
  );
  return database;
}
