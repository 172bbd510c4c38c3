import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, syncTree } from '@millrace/service';
import type { Durability } from '../durability';
import { EmbeddedWorker } from './embedded-worker';

/** The data directory contains other files, but no database. */
export class DataDirectoryNotEmptyError extends Error {
  readonly code = 'data_directory_not_empty';
}

/**
 * Creates a database if the directory has none. The database is created next to the directory and then renamed, so that
 * a killed process leaves no partial one; in a separate thread, which frees its memory afterwards.
 *
 * With `fsync` the whole directory is on disk afterwards, also one that was copied or was last opened with `process`:
 * while it is open with `fsync`, PostgreSQL itself syncs only what it writes, not what was written before.
 */
export async function prepareDataDirectory(dataDirectory: string, durability: Durability): Promise<void> {
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
  const worker = await EmbeddedWorker.start({ dataDirectory: draft, durability: 'process' });
  await worker.close();
  if (isSynced) syncTree(draft);
  renameSync(draft, dataDirectory);
  if (isSynced) syncFolder(dirname(dataDirectory));
}
