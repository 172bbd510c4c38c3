import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder, syncTree } from '@millrace/service';
import type { Durability } from '../durability';
import { EmbeddedWorker } from './embedded-worker';

/** The data directory holds something, but no database; it is somebody else's. */
export class DataDirectoryNotEmptyError extends Error {
  readonly code = 'data_directory_not_empty';
}

/**
 * Makes a new database where there is none. It is made beside the directory and then renamed, so that a process
 * killed meanwhile leaves no half of one; in a thread of its own, which gives its memory back afterwards.
 *
 * With `fsync` the whole directory is on disk afterwards, also one that was copied or that was last open with `process`:
 * PostgreSQL itself syncs what it writes while it is open with `fsync`, and nothing that was written before.
 */
export async function prepareDataDirectory(dataDirectory: string, durability: Durability): Promise<void> {
  const isSynced = durability === 'fsync';
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) {
    if (isSynced) syncTree(dataDirectory);
    return;
  }
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0) {
    throw new DataDirectoryNotEmptyError(`${dataDirectory} is not empty and holds no database`);
  }
  const draft = `${dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(dataDirectory), { recursive: true });
  // Synced as a whole when it is complete, which takes less time than each step on its own.
  const worker = await EmbeddedWorker.start({ dataDirectory: draft, durability: 'process' });
  await worker.close();
  if (isSynced) syncTree(draft);
  renameSync(draft, dataDirectory);
  if (isSynced) syncFolder(dirname(dataDirectory));
}
