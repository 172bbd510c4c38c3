/** How long a read waits for what its user was answered before. */
export const READ_PATIENCE_MILLISECONDS = 200;
const KEPT_MILLISECONDS = 5_000;
const MAXIMUM_RUNS = 20_000;

interface Reader {
  readonly missing: Set<string>;
  readonly resolve: () => void;
}

/**
 * Runs that were answered but are not yet reported as written down. Whoever had an answer and reads now waits here a
 * moment, so that he sees its effects. Bounded: what nobody reports within 5 s is no longer waited for.
 */
export class UnrecordedRuns {
  readonly #now: () => number;
  /** Run to when it was answered, oldest first. */
  readonly #runs = new Map<string, { readonly userId: string; readonly answeredAt: number }>();
  readonly #byUser = new Map<string, Set<string>>();
  readonly #readers = new Map<string, Set<Reader>>();

  constructor({ now = Date.now }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** A run of this user was answered. */
  add(userId: string, runId: string): void {
    this.#runs.set(runId, { userId, answeredAt: this.#now() });
    let runs = this.#byUser.get(userId);
    if (!runs) this.#byUser.set(userId, (runs = new Set()));
    runs.add(runId);
    this.#dropOld();
  }

  /** These runs can be read in the database now. */
  recorded(runIds: readonly string[]): void {
    for (const runId of runIds) this.#forget(runId);
  }

  /** Resolves when what this user was answered so far is written down, or after this many milliseconds. */
  settled(userId: string, milliseconds: number): Promise<void> {
    const runs = this.#byUser.get(userId);
    if (!runs || runs.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const reader: Reader = {
        missing: new Set(runs),
        resolve: () => {
          clearTimeout(timer);
          this.#leave(userId, reader);
          resolve();
        },
      };
      const timer = setTimeout(reader.resolve, milliseconds);
      const readers = this.#readers.get(userId) ?? new Set();
      this.#readers.set(userId, readers.add(reader));
    });
  }

  #forget(runId: string): void {
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

  #leave(userId: string, reader: Reader): void {
    const readers = this.#readers.get(userId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(userId);
  }

  #dropOld(): void {
    const before = this.#now() - KEPT_MILLISECONDS;
    for (const [runId, { answeredAt }] of this.#runs) {
      if (answeredAt >= before && this.#runs.size <= MAXIMUM_RUNS) return;
      this.#forget(runId);
    }
  }
}
