import { TimeoutError, withDeadline } from '@millrace/service';

/** A database that takes longer than this counts as stalled: senders get an error at once instead of waiting for it. */
const RESPONSE_DEADLINE_MILLISECONDS = 2_000;
const STALLED_MESSAGE = 'the database does not answer';

/** The database did not answer in time. It can still complete the work that it was asked to do. */
export class DatabaseStalledError extends Error {
  readonly code = 'database_stuck';

  constructor(options?: ErrorOptions) {
    super(STALLED_MESSAGE, options);
    this.name = 'DatabaseStalledError';
  }
}

/** Fails fast while the database is silent: the first callers wait for the deadline, later ones not at all. */
export class DatabaseStallGuard {
  /** When each piece of pending work began; the oldest first. */
  readonly #startTimes = new Map<symbol, number>();

  /**
   * Resolves to the outcome of the work; rejects with DatabaseStalledError when it has none in time. The work itself
   * continues.
   */
  async withinDeadline<T>(work: () => Promise<T>): Promise<T> {
    const [oldest] = this.#startTimes.values();
    if (oldest !== undefined && performance.now() - oldest > RESPONSE_DEADLINE_MILLISECONDS)
      throw new DatabaseStalledError();
    const mark = Symbol('work');
    this.#startTimes.set(mark, performance.now());
    const outcome = work().finally(() => this.#startTimes.delete(mark));
    try {
      return await withDeadline(outcome, RESPONSE_DEADLINE_MILLISECONDS, STALLED_MESSAGE);
    } catch (error) {
      throw error instanceof TimeoutError ? new DatabaseStalledError({ cause: error }) : error;
    }
  }
}
