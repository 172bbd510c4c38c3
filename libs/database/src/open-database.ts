import type { Logger, Metrics, TlsMaterial } from '@millrace/service';
import type { Database } from './database';
import type { Durability } from './durability';
import { openEmbeddedDatabase } from './embedded/open-embedded-database';
import { chooseEncryption } from './postgres/choose-encryption';
import { openPostgresDatabase } from './postgres/open-postgres-database';
import type { PreparedStatements } from './postgres/postgres-path';

export interface OpenDatabaseOptions {
  /** URL of a PostgreSQL server; undefined for the embedded database. */
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
  readonly preparedStatements?: PreparedStatements;
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
    logger.info({ server: withoutSecrets(url), maximumConnections }, 'Database: PostgreSQL');
    const encrypted = await chooseEncryption(url, tls);
    return openPostgresDatabase({
      ...encrypted,
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

function withoutSecrets(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
  } catch {
    return 'unreadable address';
  }
}
