import { resolve, join } from 'node:path';
import { existsSync, rmSync } from 'node:fs';
import { DataDirectoryInUseError, MigrationError, openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { EncryptionError } from '@millrace/runs';
import {
  createLogger,
  postgresPlace,
  readSettings,
  serverTls,
  SettingsError,
  StartError,
} from '@millrace/service';
import type { Environment, Logger } from '@millrace/service';
import { readEncryptionKeys, standaloneSettings } from '@millrace/standalone';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

/** Where a command works on a database itself: a PostgreSQL database, or a data folder. */
export interface Place {
  /** Without passwords. */
  readonly title: string;
  /** The data folder; undefined for PostgreSQL. */
  readonly folder: string | undefined;
  readonly database: Database;
  /** The encryption keys of the settings or of the data folder; undefined when there are none. */
  readonly keys: readonly string[] | undefined;
  readonly logger: Logger;
  /** Opens one more connection under this name; undefined for a data folder. */
  readonly openAnother: ((name: string) => Promise<Database>) | undefined;
  close(): Promise<void>;
  /** Deletes what opening the place made on the disk, after it was closed. */
  discard(): void;
}

export interface PlaceOptions {
  /** URL of a PostgreSQL server, or a data folder; by the settings unless given. */
  readonly at: string | undefined;
  readonly environment: Environment;
  /** False for a data folder that may not exist yet. */
  readonly mustExist: boolean;
  readonly warn: (sentence: string) => void;
}

const POSTGRES = /^postgres(?:ql)?:/;

/** Opens the database of a place, around a pooler where DATABASE_DIRECT_URL says so. Throws CliError. */
export async function openPlace({ at, environment, mustExist, warn }: PlaceOptions): Promise<Place> {
  const logger = createLogger({ name: 'millrace', level: 'silent' });
  try {
    const settings = readSettings(standaloneSettings, environment);
    const given = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
    const url = at === undefined ? given : POSTGRES.test(at) ? at : undefined;
    const folder = resolve(at !== undefined && url === undefined ? at : settings.MILLRACE_DATA_DIRECTORY);
    const dataDirectory = join(folder, 'database');
    if (url === undefined && mustExist && !existsSync(dataDirectory))
      throw new CliError('input', `${folder} has no database.`);
    const made =
      url === undefined
        ? [folder, dataDirectory, `${dataDirectory}.lock`].filter((path) => !existsSync(path))
        : [];
    const open = (name: string) =>
      openDatabase({
        url,
        ...(url === undefined ? { dataDirectory } : { tls: serverTls(settings).database }),
        name,
        logger,
        maximumConnections: 1,
      });
    const database = await open('millrace-cli');
    return {
      title: titleOf(url, folder),
      folder: url === undefined ? folder : undefined,
      database,
      keys:
        settings.MILLRACE_ENCRYPTION_KEY ??
        (url === undefined ? readEncryptionKeys(folder, warn) : undefined),
      logger,
      openAnother: url === undefined ? undefined : open,
      close: () => database.close(),
      discard: () => made.forEach((path) => rmSync(path, { recursive: true, force: true })),
    };
  } catch (error) {
    throw asCliError(error);
  }
}

/** Turns an error of a place into one sentence with its exit code. */
export function asCliError(error: unknown): unknown {
  if (error instanceof CliError) return error;
  if (error instanceof DataDirectoryInUseError) return new CliError('unavailable', error.message, error);
  const isConfiguration = [SettingsError, StartError, EncryptionError, MigrationError].some(
    (kind) => error instanceof kind,
  );
  if (isConfiguration) return new CliError('configuration', reasonOf(error), error);
  return new CliError('unavailable', `The database of Millrace cannot be used: ${reasonOf(error)}`, error);
}

function titleOf(url: string | undefined, folder: string): string {
  return url === undefined ? `the data folder ${folder}` : `PostgreSQL at ${postgresPlace(url)}`;
}
