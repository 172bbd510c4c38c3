import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { processStart } from '@millrace/service';

/** Another running program uses the data directory. Concurrent use would destroy it. */
export class DataDirectoryInUseError extends Error {
  readonly code = 'data_directory_in_use';
}

interface LockOwner {
  readonly token: string;
  readonly pid: number;
  readonly processStart: string;
  readonly host: string;
  readonly name: string;
}

/**
 * A lock file next to the data directory. It identifies its owner, so that the lock of a killed process is recognized
 * by the absence of that process, not by age.
 */
export class DataDirectoryLock {
  readonly #path: string;
  readonly #owner: LockOwner;

  static acquire(dataDirectory: string, name: string): DataDirectoryLock {
    const path = `${dataDirectory}.lock`;
    mkdirSync(dirname(path), { recursive: true });
    const owner: LockOwner = {
      token: randomUUID(),
      pid: process.pid,
      processStart: processStart(process.pid) ?? 'unknown',
      host: hostname(),
      name,
    };
    if (create(path, owner)) return new DataDirectoryLock(path, owner);
    removeIfStale(path, dataDirectory);
    if (create(path, owner)) return new DataDirectoryLock(path, owner);
    throw inUse(dataDirectory, path, read(path));
  }

  private constructor(path: string, owner: LockOwner) {
    this.#path = path;
    this.#owner = owner;
  }

  /** Releases the lock. Idempotent. */
  release(): void {
    if (read(this.#path)?.token === this.#owner.token) rmSync(this.#path, { force: true });
  }
}

/** Creates the lock file. It is written elsewhere and linked into place, so that no process reads a partial lock. */
function create(path: string, owner: LockOwner): boolean {
  const draft = `${path}.${owner.token}`;
  writeFileSync(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
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
 * Moves the file away first and then checks that it is the one that was examined: of several programs that find the
 * same dead owner, only one removes its lock, and none removes the lock of the program that was faster.
 */
function removeIfStale(path: string, dataDirectory: string): void {
  const owner = read(path);
  if (owner && isOwnerRunning(owner)) throw inUse(dataDirectory, path, owner);
  const movedPath = `${path}.${randomUUID()}`;
  try {
    renameSync(path, movedPath);
  } catch {
    // Another program was faster.
    return;
  }
  try {
    if (read(movedPath)?.token !== owner?.token) linkSync(movedPath, path);
  } finally {
    rmSync(movedPath, { force: true });
  }
}

/** The state of an owner on another machine (a shared volume) is unknown, so it counts as running. */
function isOwnerRunning(owner: LockOwner): boolean {
  return owner.host !== hostname() || processStart(owner.pid) === owner.processStart;
}

function read(path: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockOwner;
  } catch {
    return undefined;
  }
}

function inUse(dataDirectory: string, path: string, owner: LockOwner | undefined): DataDirectoryInUseError {
  const description = owner ? `${owner.name} (process ${owner.pid} on ${owner.host})` : 'another program';
  return new DataDirectoryInUseError(
    `The data directory ${dataDirectory} is in use by ${description}. Stop it first. If it certainly no longer runs, delete the file ${path}`,
  );
}
