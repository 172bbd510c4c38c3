import { machineTime } from '@millrace/service';

/** How long a read waits until the user's answered runs are stored. */
export const READ_WAIT_MILLISECONDS = 200;
const RETENTION_MILLISECONDS = 5_000;
const MAXIMUM_RUNS = 20_000;

interface Reader {
  readonly missing: Set<string>;
  readonly resolve: () => void;
}

/**
 * Tracks runs that were answered but are not yet reported as stored. A caller that reads after an answer waits here for
 * a moment, so that they see its effects. Bounded: runs that are not reported within 5 s are dropped.
 */
export class ReadYourWrites {
  readonly #now: () => number;
  /** User and time of the answer by run id, oldest first. */
  readonly #runs = new Map<string, { readonly userId: string; readonly answeredAt: number }>();
  readonly #byUser = new Map<string, Set<string>>();
  readonly #readers = new Map<string, Set<Reader>>();

  constructor({ now = machineTime }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Records that a run of this user was answered. */
  add(userId: string, runId: string): void {
    this.#runs.set(runId, { userId, answeredAt: this.#now() });
    let runs = this.#byUser.get(userId);
    if (!runs) this.#byUser.set(userId, (runs = new Set()));
    runs.add(runId);
    this.#dropOld();
  }

  /** Records that these runs can now be read in the database. */
  recorded(runIds: readonly string[]): void {
    for (const runId of runIds) this.#remove(runId);
  }

  /** Resolves when the runs of this user that were answered so far are stored, or after this many milliseconds. */
  settled(userId: string, milliseconds: number): Promise<void> {
    const runs = this.#byUser.get(userId);
    if (!runs || runs.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const reader: Reader = {
        missing: new Set(runs),
        resolve: () => {
          clearTimeout(timer);
          this.#removeReader(userId, reader);
          resolve();
        },
      };
      const timer = setTimeout(reader.resolve, milliseconds);
      const readers = this.#readers.get(userId) ?? new Set();
      this.#readers.set(userId, readers.add(reader));
    });
  }

  #remove(runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    this.#runs.delete(runId);
    const runs = this.#byUser.get(run.userId);
    runs?.delete(runId);
    if (runs?.size === 0) this.#byUser.delete(run.userId);
    for (const reader of this.#readers.get(run.userId) ?? []) {
      reader.missing.delete(runId);
      if (reader.missing.size === 0) reader.resolve();
    }
  }

  #removeReader(userId: string, reader: Reader): void {
    const readers = this.#readers.get(userId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(userId);
  }

  #dropOld(): void {
    const before = this.#now() - RETENTION_MILLISECONDS;
    for (const [runId, { answeredAt }] of this.#runs) {
      if (answeredAt >= before && this.#runs.size <= MAXIMUM_RUNS) return;
      this.#remove(runId);
    }
  }
}
