import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import type { PythonPool } from '../index';
import { openTestPool } from './test-pool.fixture';
import type { TestPoolOptions } from './test-pool.fixture';

const patience = 120_000;

/** A pool in a folder of its own, and what it uses of the machine. */
export class WatchedPool {
  readonly pool: PythonPool;
  readonly #folder: string;
  readonly #socketsBefore: number;
  /** When each process that the pool has had was started; another one can get its process id later. */
  readonly #starts = new Map<number, string>();

  private constructor(pool: PythonPool, folder: string, socketsBefore: number) {
    this.pool = pool;
    this.#folder = folder;
    this.#socketsBefore = socketsBefore;
  }

  static async open(python: string, options: TestPoolOptions = {}): Promise<WatchedPool> {
    const folder = mkdtempSync(join(tmpdir(), 'pool-'));
    const before = openSockets();
    return new WatchedPool(await openTestPool(python, { ...options, folder }), folder, before);
  }

  /** The process ids of the processes of the pool, those that start included. */
  pids(): readonly number[] {
    const zygote = this.pool.zygotePid;
    const found = zygote === undefined ? [] : childrenOf(zygote);
    for (const pid of [...found, ...(zygote === undefined ? [] : [zygote])]) {
      const state = stateOf(pid);
      if (state !== null) this.#starts.set(pid, state.start);
    }
    return found;
  }

  /** The processes, scratch folders and sockets that the pool uses now. */
  remains(): { readonly processes: number; readonly folders: number; readonly sockets: number } {
    const sockets = openSockets() - this.#socketsBefore;
    return { processes: this.pids().length, folders: this.#scratchFolders(), sockets };
  }

  /** Resolves when the pool has as many processes and scratch folders as it counts, none of them leased. */
  async untilIdle(): Promise<void> {
    const isIdle = (): boolean => {
      const { starting, ready, leased, kept } = this.pool.counts;
      if (starting > 0 || leased > 0 || !this.pool.state.ready) return false;
      return this.pids().length === ready + kept && this.#scratchFolders() === ready + kept;
    };
    await until(isIdle, 'the processes and folders of the pool are those that it counts', patience);
  }

  /** Closes the pool. Resolves when no process, folder and socket of it is left. */
  async close(): Promise<void> {
    this.pids();
    await this.pool.close();
    const haveEnded = (): boolean => [...this.#starts].every(([pid, start]) => !isRunning(pid, start));
    await until(haveEnded, 'all processes have ended', patience);
    const remains = readdirSync(this.#folder);
    if (remains.length > 0) throw new Error(`folders remain: ${remains.join(', ')}`);
    await until(() => openSockets() <= this.#socketsBefore, 'all sockets are closed', patience);
    rmSync(this.#folder, { recursive: true });
  }

  #scratchFolders(): number {
    const [own] = readdirSync(this.#folder);
    return own === undefined ? 0 : readdirSync(join(this.#folder, own)).filter(isToken).length;
  }
}

function isToken(name: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name);
}

/** Sockets and servers of socket files that this process has open. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap' || name === 'PipeServerWrap')
    .length;
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && stateOf(pid)?.parent === parent);
}

/** A process that has ended and waits for its parent counts as ended. */
function isRunning(pid: number, start: string): boolean {
  const state = stateOf(pid);
  return state !== null && state.start === start && state.letter !== 'Z';
}

/** `start` is in clock ticks from the start of the kernel. */
function stateOf(
  pid: number,
): { readonly letter: string; readonly parent: number; readonly start: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The state after the name is field 3, and the start field 22.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [letter = '', parent] = fields;
    return { letter, parent: Number(parent), start: fields[19] ?? '' };
  } catch {
    return null;
  }
}
