import { machineTime } from '@millrace/service';

/** Above the longest stall of a commit on a busy machine, and far below the deadline of an HTTP client. */
const MAXIMUM_WAIT_MILLISECONDS = 2_000;
const RETENTION_MILLISECONDS = 5_000;
const MAXIMUM_RUNS = 20_000;

interface Reader {
  readonly missing: Set<string>;
  readonly resolve: () => void;
}

export interface ReadYourWritesOptions {
  /** Called when a read stops waiting for runs that are not reported as stored. */
  readonly onTimeout?: () => void;
  readonly now?: () => number;
  /** How long a read waits until the user's answered runs are stored. Default: 2 s. */
  readonly maximumWaitMilliseconds?: number;
}

/**
 * Tracks runs that were answered but are not yet reported as stored. A caller that reads after an answer waits here for
 * a moment, so that they see its effects. Bounded: runs that are not reported within 5 s are dropped, since the report
 * of an executor that crashed never arrives.
 */
export class ReadYourWrites {
  readonly #now: () => number;
  readonly #maximumWaitMilliseconds: number;
  readonly #onTimeout: () => void;
  /** User and time of the answer by run id, oldest first. */
  readonly #runs = new Map<string, { readonly userId: string; readonly answeredAt: number }>();
  readonly #byUser = new Map<string, Set<string>>();
  readonly #readers = new Map<string, Set<Reader>>();

  constructor(options: ReadYourWritesOptions = {}) {
    this.#now = options.now ?? machineTime;
    this.#maximumWaitMilliseconds = options.maximumWaitMilliseconds ?? MAXIMUM_WAIT_MILLISECONDS;
    this.#onTimeout = options.onTimeout ?? (() => {});
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

  /** Resolves when the runs of this user that were answered so far are stored, or after the maximum wait. */
  settled(userId: string): Promise<void> {
    this.#dropOld();
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
      const timer = setTimeout(() => {
        this.#onTimeout();
        reader.resolve();
      }, this.#maximumWaitMilliseconds);
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
