import { TimeoutError, withDeadline } from '@millrace/service';

/** A database that needs longer than this has stopped answering: senders hear so instead of waiting for it. */
const ANSWER_WITHIN_MILLISECONDS = 2_000;
const STUCK = 'the database does not answer';

/** The database did not answer in time. What it was asked to do may be done yet. */
export class DatabaseStuckError extends Error {
  readonly code = 'database_stuck';

  constructor(options?: ErrorOptions) {
    super(STUCK, options);
    this.name = 'DatabaseStuckError';
  }
}

/** Sees to it that nobody waits for a silent database: the first ones wait for a moment, those after them not at all. */
export class DatabaseWatch {
  /** When each piece of work in hand began; the oldest first. */
  readonly #began = new Map<symbol, number>();

  /** The work's own outcome, or DatabaseStuckError when it has none in time. The work itself goes on. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    const [oldest] = this.#began.values();
    if (oldest !== undefined && performance.now() - oldest > ANSWER_WITHIN_MILLISECONDS)
      throw new DatabaseStuckError();
    const mark = Symbol('work');
    this.#began.set(mark, performance.now());
    const outcome = work().finally(() => this.#began.delete(mark));
    try {
      return await withDeadline(outcome, ANSWER_WITHIN_MILLISECONDS, STUCK);
    } catch (error) {
      throw error instanceof TimeoutError ? new DatabaseStuckError({ cause: error }) : error;
    }
  }
}
