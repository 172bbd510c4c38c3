import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirectoryInUseError, migrate, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { checkEncryptionKey, Encryption, EncryptionError, openObjectStore } from '@millrace/runs';
import type { ObjectStore } from '@millrace/runs';
import { createLogger, postgresPlace, readSettings, SettingsError, StartError } from '@millrace/service';
import type { Environment, Logger } from '@millrace/service';
import { makeDataFolder, readOrCreateEncryptionKeys, standaloneSettings } from '@millrace/standalone';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

/** The database that a migration writes to. */
export interface MigrationTarget {
  /** The place, without passwords. */
  readonly title: string;
  readonly database: Database;
  /** For large files; null when none is configured. */
  readonly objects: ObjectStore | null;
  readonly encryption: Encryption;
  readonly logger: Logger;
  close(): Promise<void>;
}

export interface TargetOptions {
  /** URL of a PostgreSQL server, or a data folder; by the settings unless given. */
  readonly to: string | undefined;
  readonly environment: Environment;
  /** Create and migrate nothing. A data folder that does not exist is then an empty database in memory. */
  readonly isDryRun: boolean;
  readonly warn: (sentence: string) => void;
}

const POSTGRES = /^postgres(?:ql)?:/;

/** Opens the database as services do, with its tables and encryption key. Throws CliError. */
export async function openTarget({
  to,
  environment,
  isDryRun,
  warn,
}: TargetOptions): Promise<MigrationTarget> {
  const logger = createLogger({ name: 'millrace', level: 'silent' });
  try {
    const settings = readSettings(standaloneSettings, environment);
    const url = to === undefined ? settings.DATABASE_URL : POSTGRES.test(to) ? to : undefined;
    const folder = resolve(to !== undefined && url === undefined ? to : settings.MILLRACE_DATA_DIRECTORY);
    const directory = join(folder, 'database');
    const isPlace = url !== undefined || !isDryRun || existsSync(directory);
    const keys =
      settings.MILLRACE_ENCRYPTION_KEY ??
      (url === undefined ? keyOfFolder(folder, isDryRun, warn) : undefined);
    if (keys === undefined)
      throw new CliError(
        'configuration',
        'MILLRACE_ENCRYPTION_KEY must be set: the services of this database encrypt variables with it.',
      );
    const encryption = Encryption.from(keys);
    const database = await openDatabase({
      url,
      ...(isPlace && url === undefined ? { dataDirectory: directory } : {}),
      name: 'millrace-migrate',
      logger,
      maximumConnections: 2,
    });
    try {
      if (!isDryRun || !isPlace) await migrate(database, { logger });
      if (!isDryRun) await checkEncryptionKey({ database, encryption, logger });
    } catch (error) {
      await database.close();
      throw error;
    }
    const objects = openObjectStore({ url: settings.MILLRACE_OBJECT_STORE_URL });
    const close = async () => {
      await database.close();
      await objects?.close();
    };
    return { title: titleOf(url, folder), database, objects, encryption, logger, close };
  } catch (error) {
    throw asCliError(error);
  }
}

function keyOfFolder(folder: string, isDryRun: boolean, warn: (sentence: string) => void): readonly string[] {
  // Encrypts only what a dry run does not store.
  if (isDryRun) return ['00'.repeat(32)];
  makeDataFolder(folder);
  return readOrCreateEncryptionKeys(folder, warn);
}

function titleOf(url: string | undefined, folder: string): string {
  return url === undefined ? `the data folder ${folder}` : `PostgreSQL at ${postgresPlace(url)}`;
}

function asCliError(error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (error instanceof DataDirectoryInUseError) return new CliError('unavailable', error.message, error);
  if (error instanceof SettingsError || error instanceof StartError || error instanceof EncryptionError)
    return new CliError('configuration', error.message, error);
  return new CliError('unavailable', `The database of Millrace cannot be used: ${reasonOf(error)}`, error);
}
