import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { processStart } from './process-start';

/** Another running program uses the data directory. Two at once would destroy it. */
export class DataDirectoryInUseError extends Error {
  readonly code = 'data_directory_in_use';
}

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly processStart: string;
  readonly host: string;
  readonly name: string;
}

/**
 * A lock file beside the data directory. It names its holder, so that one left behind by a process that was killed
 * is recognised by that process being gone, not by age.
 */
export class DataDirectoryLock {
  readonly #path: string;
  readonly #holder: Holder;

  static acquire(dataDirectory: string, name: string): DataDirectoryLock {
    const path = `${dataDirectory}.lock`;
    mkdirSync(dirname(path), { recursive: true });
    const holder: Holder = {
      token: randomUUID(),
      pid: process.pid,
      processStart: processStart(process.pid) ?? 'unknown',
      host: hostname(),
      name,
    };
    if (create(path, holder)) return new DataDirectoryLock(path, holder);
    removeIfLeftBehind(path, dataDirectory);
    if (create(path, holder)) return new DataDirectoryLock(path, holder);
    throw inUse(dataDirectory, path, read(path));
  }

  private constructor(path: string, holder: Holder) {
    this.#path = path;
    this.#holder = holder;
  }

  /** Twice is fine. */
  release(): void {
    if (read(this.#path)?.token === this.#holder.token) rmSync(this.#path, { force: true });
  }
}

/** Written elsewhere and linked into place, so that nobody ever reads half a lock. */
function create(path: string, holder: Holder): boolean {
  const draft = `${path}.${holder.token}`;
  writeFileSync(draft, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Takes the file away first and looks afterwards whether it is the one that was judged: of several programs that find
 * the same dead holder, only one removes it, and none removes the lock of the one that was faster.
 */
function removeIfLeftBehind(path: string, dataDirectory: string): void {
  const holder = read(path);
  if (holder && isHeld(holder)) throw inUse(dataDirectory, path, holder);
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    // Somebody else was faster.
    return;
  }
  try {
    if (read(aside)?.token !== holder?.token) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Of a holder on another machine (a shared volume) nothing is known, so it counts as running. */
function isHeld(holder: Holder): boolean {
  return holder.host !== hostname() || processStart(holder.pid) === holder.processStart;
}

function read(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function inUse(dataDirectory: string, path: string, holder: Holder | undefined): DataDirectoryInUseError {
  const who = holder ? `${holder.name} (process ${holder.pid} on ${holder.host})` : 'another program';
  return new DataDirectoryInUseError(
    `The data directory ${dataDirectory} is in use by ${who}. Stop it first; if it is certainly gone, delete ${path}.`,
  );
}
