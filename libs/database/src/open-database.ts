import type { Logger, TlsMaterial } from '@millrace/service';
import type { Database } from './database';
import type { Durability } from './durability';
import { openEmbeddedDatabase } from './embedded/open-embedded-database';
import { chooseEncryption } from './postgres/choose-encryption';
import { openPostgresDatabase } from './postgres/open-postgres-database';
import type { PreparedStatements } from './postgres/postgres-path';

export interface OpenDatabaseOptions {
  /** A PostgreSQL server; undefined for the embedded database. */
  readonly url: string | undefined;
  /** Where the embedded database keeps its data; undefined to keep it in memory. */
  readonly dataDirectory?: string | undefined;
  /** Of the embedded database: `fsync` unless given. */
  readonly durability?: Durability | undefined;
  readonly logger: Logger;
  /** Of the program that opens it, for the server's list of connections and for the lock of the directory. */
  readonly name: string;
  /** Certificates and key for a server, beside those that its URL names. */
  readonly tls?: TlsMaterial | undefined;
  /** Of a server; the embedded database has one. */
  readonly maximumConnections?: number;
  /** Of a server; `auto` unless given. */
  readonly preparedStatements?: PreparedStatements;
}

/** Opens the database that the settings ask for, and says in the log which one that is. */
export async function openDatabase({
  url,
  tls,
  dataDirectory,
  durability = 'fsync',
  logger,
  name,
  maximumConnections = 10,
  preparedStatements = 'auto',
}: OpenDatabaseOptions): Promise<Database> {
  if (url !== undefined) {
    logger.info({ server: withoutSecrets(url), maximumConnections }, 'Database: PostgreSQL');
    const encrypted = await chooseEncryption(url, tls);
    return openPostgresDatabase({ ...encrypted, name, logger, maximumConnections, preparedStatements });
  }
  const database = await openEmbeddedDatabase({ dataDirectory, durability, name, logger });
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
