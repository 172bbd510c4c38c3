import type { Logger } from '@millrace/service';
import type { Database } from '../database';
import { applyMigration } from './applied-migrations';
import { MigrationError } from './migration-error';
import { readMigrationFiles } from './migration-file';
import type { MigrationFile } from './migration-file';
import { migrationStatus } from './migration-status';

export interface MigrateOptions {
  readonly logger: Logger;
  /** Directory of the migration files; those of Millrace unless given. */
  readonly directory?: string;
  /** Numbers of the migrations to apply; all unless given. */
  readonly versions?: ReadonlySet<number>;
  /** Limit for each migration, including the wait for another process that migrates. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Migrates the database to the newest version or by `versions`, each migration in one transaction; returns the names of those applied.
 * Safe under concurrent calls. Throws MigrationError when an applied file has changed, a migration fails, or a new database is
 * not encoded in UTF8.
 */
export async function migrate(
  database: Database,
  { logger, directory, versions, timeoutMilliseconds = 120_000 }: MigrateOptions,
): Promise<string[]> {
  const all = readMigrationFiles(directory);
  const files = all.filter(({ version }) => versions?.has(version) ?? true);
  const pending = await pendingVersions(database, logger, directory);
  if (pending.size === all.length) await requireUtf8(database);
  if (!files.some(({ version }) => pending.has(version))) return [];
  const applied: string[] = [];
  const migrations = files.map((file) => ({
    name: label(file),
    up: async () => {
      if (!(await apply(database, file, timeoutMilliseconds))) return;
      applied.push(label(file));
      logger.info({ migration: label(file) }, 'Migration applied');
    },
  }));
  // Loads the parser of a command line as well, which takes longer than the rest of a start.
  const { Umzug } = await import('umzug');
  const umzug = new Umzug({ migrations, storage: storageIn(database, directory), logger: undefined });
  try {
    await umzug.up();
  } catch (error) {
    // Umzug wraps the error of a migration.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause;
  }
  return applied;
}

/**
 * Throws for a new database of another encoding, such as SQL_ASCII of a server that was installed without a locale: PostgreSQL
 * reads no escape of JSON beyond ASCII there.
 */
async function requireUtf8(database: Database): Promise<void> {
  const encoding = await databaseEncoding(database);
  if (encoding === 'UTF8') return;
  throw new MigrationError(
    `The database has the encoding ${encoding}, and Millrace needs UTF8. Create it with: ` +
      "CREATE DATABASE millrace ENCODING 'UTF8' TEMPLATE template0",
  );
}

/** Returns the encoding of a database by PostgreSQL's name, such as `UTF8`. */
export async function databaseEncoding(database: Database): Promise<string> {
  const { rows } = await database.query<{ server_encoding: string }>({ text: 'SHOW server_encoding' });
  return rows[0]?.server_encoding ?? '';
}

function label({ version, name }: Pick<MigrationFile, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}

/** Throws when the file of an applied migration has changed. */
async function pendingVersions(
  database: Database,
  logger: Logger,
  directory: string | undefined,
): Promise<Set<number>> {
  const statuses = await migrationStatus(database, directory === undefined ? {} : { directory });
  const changed = statuses.find(({ state }) => state === 'changed');
  if (changed) {
    throw new MigrationError(`Migration ${label(changed)} was changed after it was applied to this database`);
  }
  const unknown = statuses.filter(({ state }) => state === 'unknown').map(label);
  if (unknown.length > 0) logger.warn({ unknown }, 'The database is newer than this program');
  return new Set(statuses.filter(({ state }) => state === 'pending').map(({ version }) => version));
}

/** Each migration records itself in its own transaction, so this storage writes nothing. */
function storageIn(database: Database, directory: string | undefined) {
  return {
    executed: async () => {
      const statuses = await migrationStatus(database, directory === undefined ? {} : { directory });
      return statuses.filter(({ state }) => state === 'applied').map(label);
    },
    logMigration: () => Promise.resolve(),
    unlogMigration: () => Promise.reject(new MigrationError('Migrations only go forward')),
  };
}

async function apply(database: Database, file: MigrationFile, timeoutMilliseconds: number): Promise<boolean> {
  try {
    return await applyMigration(database, file, timeoutMilliseconds);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${label(file)} failed: ${reason}`, { cause: error });
  }
}
