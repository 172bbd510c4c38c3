import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedWorker } from './embedded-worker';

/** The data directory holds something, but no database; it is somebody else's. */
export class DataDirectoryNotEmptyError extends Error {
  readonly code = 'data_directory_not_empty';
}

/**
 * Makes a new database where there is none. It is made beside the directory and then renamed, so that a process
 * killed meanwhile leaves no half of one; in a thread of its own, because that takes memory nobody needs afterwards.
 */
export async function prepareDataDirectory(dataDirectory: string): Promise<void> {
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return;
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0) {
    throw new DataDirectoryNotEmptyError(`${dataDirectory} is not empty and holds no database`);
  }
  const draft = `${dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(dataDirectory), { recursive: true });
  const worker = await EmbeddedWorker.start(draft);
  await worker.close();
  renameSync(draft, dataDirectory);
}
