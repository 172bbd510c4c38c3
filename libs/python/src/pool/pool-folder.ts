import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasEndedOwner, writeOwner } from './folder-owner';

const prefix = 'millrace-python-';
const run = promisify(execFile);
const removalMilliseconds = 60_000;
const retries = { maxRetries: 5, retryDelay: 100 };

interface LeftFolders {
  readonly removed: string[];
  readonly failed: { readonly path: string; readonly error: unknown }[];
}

/** The folder of a pool: its socket files, and a scratch folder for each process. */
export class PoolFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder in `parent`, or among the system's temporary files. */
  static async make(parent: string | null): Promise<PoolFolder> {
    const path = await mkdtemp(join(parent ?? tmpdir(), prefix));
    await writeOwner(path);
    await mkdir(join(path, 'sockets'), { mode: 0o700 });
    // Root's processes become another user, who must reach the scratch folder. Its name cannot be listed.
    if (process.getuid?.() === 0) await chmod(path, 0o711);
    return new PoolFolder(path);
  }

  /**
   * Removes the folders in `parent` whose process has ended without removing its own. Resolves to the removed folders and
   * to those that could not be removed.
   */
  static async removeLeft(parent: string | null): Promise<LeftFolders> {
    const folder = parent ?? tmpdir();
    const left: LeftFolders = { removed: [], failed: [] };
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (!isPoolFolder(name) || !(await hasEndedOwner(path))) continue;
      try {
        await removeTree(path);
        left.removed.push(path);
      } catch (error) {
        left.failed.push({ path, error });
      }
    }
    return left;
  }

  /** Returns the path of a socket file, in a folder of this user alone. */
  socket(name: string): string {
    return join(this.path, 'sockets', name);
  }

  /** Makes the folder of a process. The name must not be one that others can guess. */
  async makeScratch(name: string): Promise<string> {
    const path = join(this.path, name);
    await mkdir(path, { mode: 0o700 });
    return path;
  }

  remove(): Promise<void> {
    return removeTree(this.path);
  }
}

/** Removes a folder that authors' code could write to: the code can have closed or nested folders in it. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, ...retries });
  } catch {
    // By the descriptors of folders, so that paths have any length and symbolic links are not followed.
    await run('chmod', ['-R', 'u+rwx', '--', path], { timeout: removalMilliseconds }).catch(() => undefined);
    await run('rm', ['-rf', '--', path], { timeout: removalMilliseconds });
  }
}

/** Node adds six characters to the prefix. */
function isPoolFolder(name: string): boolean {
  return name.length === prefix.length + 6 && name.startsWith(prefix);
}
