import type { Logger } from '@millrace/service';
import { Umzug } from 'umzug';
import type { Database } from '../database';
import { applyMigration } from './applied-migrations';
import { MigrationError } from './migration-error';
import { readMigrationFiles } from './migration-file';
import type { MigrationFile } from './migration-file';
import { migrationStatus } from './migration-status';

export interface MigrateOptions {
  readonly logger: Logger;
  /** Where the files are; those of Millrace unless given. */
  readonly directory?: string;
  /** For each migration, waiting for another process that migrates included. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Brings the database to the newest version, each migration in one transaction; returns the names of those applied.
 * Any number of processes may do so at once. Throws MigrationError when an applied file was changed since, or fails.
 */
export async function migrate(
  database: Database,
  { logger, directory, timeoutMilliseconds = 120_000 }: MigrateOptions,
): Promise<string[]> {
  const files = readMigrationFiles(directory);
  await refuseChangedFiles(database, logger, directory);
  const applied: string[] = [];
  const migrations = files.map((file) => ({
    name: label(file),
    up: async () => {
      if (!(await apply(database, file, timeoutMilliseconds))) return;
      applied.push(label(file));
      logger.info({ migration: label(file) }, 'Migration applied');
    },
  }));
  const umzug = new Umzug({ migrations, storage: storageIn(database, directory), logger: undefined });
  try {
    await umzug.up();
  } catch (error) {
    // Umzug wraps what a migration throws.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause;
  }
  return applied;
}

function label({ version, name }: Pick<MigrationFile, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}

async function refuseChangedFiles(
  database: Database,
  logger: Logger,
  directory: string | undefined,
): Promise<void> {
  const statuses = await migrationStatus(database, directory === undefined ? {} : { directory });
  const changed = statuses.find(({ state }) => state === 'changed');
  if (changed) {
    throw new MigrationError(
      `Migration ${label(changed)} was changed after it had been applied to this database`,
    );
  }
  const unknown = statuses.filter(({ state }) => state === 'unknown').map(label);
  if (unknown.length > 0) logger.warn({ unknown }, 'The database is newer than this program');
}

/** Each migration writes itself down in its own transaction, so there is nothing left to write here. */
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
