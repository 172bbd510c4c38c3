import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedWorker } from './embedded-worker';

/**
 * Makes a new database where there is none. It is made beside the directory and then renamed, so that a process
 * killed meanwhile leaves no half of one; in a thread of its own, because that takes memory nobody needs afterwards.
 */
export async function prepareDataDirectory(dataDirectory: string): Promise<void> {
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) return;
  const draft = `${dataDirectory}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(dataDirectory), { recursive: true });
  const worker = await EmbeddedWorker.start(draft);
  await worker.close();
  renameSync(draft, dataDirectory);
}
