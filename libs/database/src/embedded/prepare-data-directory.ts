import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, syncTree } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { Durability } from '../durability';
import { findImage, readImage, unpackImage } from './data-directory-image';
import { EmbeddedWorker } from './embedded-worker';

/** The data directory contains other files, but no database. */
export class DataDirectoryNotEmptyError extends Error {
  readonly code = 'data_directory_not_empty';
}

export interface PrepareOptions {
  readonly dataDirectory: string;
  readonly durability: Durability;
  readonly logger: Logger;
  /** Path of the image; the one that the build made unless given. */
  readonly image?: string | undefined;
}

/**
 * Creates a database if the directory has none: with all tables as a copy of the image, or without an image an empty one.
 * The database is created next to the directory and then renamed, so that a killed process leaves no partial one.
 *
 * With `fsync` the whole directory is on disk afterwards, also one that was copied or was last opened with `process`:
 * while it is open with `fsync`, PostgreSQL itself syncs only what it writes, not what was written before.
 */
export async function prepareDataDirectory({
  dataDirectory,
  durability,
  logger,
  image = findImage(),
}: PrepareOptions): Promise<void> {
  const isSynced = durability === 'fsync';
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) {
    if (isSynced) syncTree(dataDirectory);
    return;
  }
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0) {
    throw new DataDirectoryNotEmptyError(`${dataDirectory} is not empty and contains no database`);
  }
  const draft = `${dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(dataDirectory), { recursive: true });
  // Synced as a whole when it is complete, which takes less time than syncing each step.
  if (image === undefined || !copyImage(image, draft, logger)) await createDatabase(draft);
  if (isSynced) syncTree(draft);
  renameSync(draft, dataDirectory);
  if (isSynced) syncFolder(dirname(dataDirectory));
}

/** Creates the folder as a copy of the image; returns false when the image cannot be read. */
function copyImage(path: string, draft: string, logger: Logger): boolean {
  let image;
  try {
    image = readImage(path);
  } catch (error) {
    logger.warn(
      { image: path, error },
      'image of the embedded database is unreadable: creating the database anew',
    );
    return false;
  }
  unpackImage(image, draft);
  return true;
}

/** Creates an empty database in a separate thread, which frees its memory afterwards. Takes seconds of CPU time. */
async function createDatabase(draft: string): Promise<void> {
  const worker = await EmbeddedWorker.start({ dataDirectory: draft, durability: 'process' });
  await worker.close();
}
