import { constants } from 'node:fs';
import { opendir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets, SecretSource } from './secret-store';
import { Turns } from './turns';

const DEADLINE_MILLISECONDS = 5_000;
/** Each holds a thread, of which a process has four by default. */
const READS_AT_ONCE = 2;
const MAXIMUM_FILES = 1_000;
const MAXIMUM_BYTES = 1_048_576;

/**
 * Reads secrets of a mounted folder: `<folder>/<id of the user>/<name>`, one file a name, each a text in UTF-8 whose last line break does not
 * count. A file whose name begins with a dot is no secret: Kubernetes keeps versions in such.
 */
export class SecretFolder implements SecretSource {
  readonly #folder: string;
  readonly #turns = new Turns({
    atOnce: READS_AT_ONCE,
    milliseconds: DEADLINE_MILLISECONDS,
    late: 'the folder could not be read in time',
  });

  constructor(folder: string) {
    this.#folder = folder;
  }

  read(userId: string): Promise<Secrets> {
    return this.#turns.run(() => this.#read(userId));
  }

  async close(): Promise<void> {}

  async #read(userId: string): Promise<Secrets> {
    // A folder that is not mounted is an error, one without a folder of this user is none.
    await stat(this.#folder);
    const secrets = new Map<string, string | null>();
    const names = await this.#namesOf(userId);
    let bytes = 0;
    for (const name of names) {
      const content = await contentOf(join(this.#folder, userId, name), MAXIMUM_BYTES - bytes);
      if (content === null) continue;
      bytes += content.length;
      secrets.set(name, textOf(content));
    }
    return secrets;
  }

  async #namesOf(userId: string): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const { name } of await opendir(join(this.#folder, userId))) {
        if (name.startsWith('.')) continue;
        names.push(name);
        if (names.length > MAXIMUM_FILES) throw new Error(`the folder has over ${MAXIMUM_FILES} files`);
      }
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'ENOENT') throw error;
    }
    return names;
  }
}

/** Null for what is no file, or was removed meanwhile. */
async function contentOf(path: string, maximumBytes: number): Promise<Buffer | null> {
  // Without a wait for a writer, should it be a pipe.
  const found = await nullIfRemoved(stat(path));
  if (found === null || !found.isFile()) return null;
  const file = await nullIfRemoved(open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  if (file === null) return null;
  // The path can lead to another file by now, so the size is that of the opened one.
  try {
    const { size } = await file.stat();
    if (size > maximumBytes) throw new Error(`the files have over ${MAXIMUM_BYTES} bytes`);
    // What is written meanwhile is left out.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function nullIfRemoved<Found>(found: Promise<Found>): Promise<Found | null> {
  return found.catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
    throw error;
  });
}

function textOf(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content).replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}
