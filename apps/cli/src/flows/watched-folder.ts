import { readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineTime } from '@millrace/service';
import { CliError } from '../cli-error';
import { reasonOf } from '../client/reason-of';

const MAXIMUM_FILES = 10_000;
/** Editors write a file in several steps. */
const QUIET_MILLISECONDS = 200;
/** A folder that changes all the time is read all the same. */
const UNQUIET_MILLISECONDS = 2_000;
/** Network file systems report no changes of other machines. */
const SCAN_MILLISECONDS = 5_000;

interface FolderChange {
  /** Files that are new or were written, sorted. */
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
}

/** The JSON files directly in a folder, hidden ones left out. */
export class WatchedFolder {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #close: () => void;
  #known: ReadonlyMap<string, string> = new Map();
  #hasEvent = false;
  #wake: () => void = () => undefined;

  /** Throws CliError when the folder cannot be read. `note` is called when only scans find changes. */
  constructor(folder: string, signal: AbortSignal, note: (sentence: string) => void) {
    this.#folder = folder;
    this.#signal = signal;
    const woken = () => {
      this.#hasEvent = true;
      this.#wake();
    };
    filesOf(folder);
    try {
      const watcher = watch(folder, { signal }, woken);
      // The next scan says what is wrong with the folder.
      watcher.on('error', woken);
      this.#close = () => watcher.close();
    } catch (error) {
      note(`${folder} is read each 5 seconds: ${reasonOf(error)}`);
      this.#close = () => undefined;
    }
  }

  /** Returns what differs from the last scan. Throws CliError when the folder cannot be read. */
  scan(): FolderChange {
    this.#hasEvent = false;
    const found = filesOf(this.#folder);
    const changed = [...found].filter(([file, state]) => this.#known.get(file) !== state);
    const deleted = [...this.#known.keys()].filter((file) => !found.has(file));
    this.#known = found;
    return { changed: changed.map(([file]) => file), deleted };
  }

  /** Resolves when something may have changed and the folder is quiet. Rejects when the signal aborts. */
  async next(): Promise<void> {
    if (!this.#hasEvent) {
      const waiting = new AbortController();
      this.#wake = () => waiting.abort();
      const signal = AbortSignal.any([waiting.signal, this.#signal]);
      await sleep(SCAN_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    }
    const began = machineTime();
    do {
      this.#hasEvent = false;
      await sleep(QUIET_MILLISECONDS, undefined, { signal: this.#signal });
    } while (this.#hasEvent && machineTime() - began < UNQUIET_MILLISECONDS);
  }

  close(): void {
    this.#close();
  }
}

/** Returns the files with what changes when they are written. */
function filesOf(folder: string): ReadonlyMap<string, string> {
  const names = namesOf(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  if (names.length > MAXIMUM_FILES)
    throw new CliError(
      'input',
      `${folder} has ${names.length} JSON files; at most ${MAXIMUM_FILES} are watched`,
    );
  return new Map(
    names.toSorted().flatMap((name) => {
      const file = join(folder, name);
      const state = stateOf(file);
      return state === undefined ? [] : [[file, state] as const];
    }),
  );
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new CliError('input', `${folder} cannot be read as a folder: ${reasonOf(error)}`, error);
  }
}

/** Undefined for what is no file, such as a pipe, and for a file that was deleted meanwhile. */
function stateOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true ? `${found.mtimeMs} ${found.size} ${found.ino}` : undefined;
  } catch (error) {
    // Such as a link to itself: reading the file says so.
    return reasonOf(error);
  }
}
