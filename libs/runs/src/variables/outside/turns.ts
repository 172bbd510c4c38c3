import { TimeoutError, withDeadline } from '@millrace/service';

export interface TurnsOptions {
  /** How much of the work runs at a time. */
  readonly atOnce: number;
  /** For one piece of work, with its wait. */
  readonly milliseconds: number;
  /** What the error of work says that did not end in time. */
  readonly late: string;
}

/**
 * Runs work that cannot be stopped, by turns. While work that did not end in time still runs, no other begins, so that a disk which does not
 * answer holds few threads of the process.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #lanes: Promise<unknown>[];
  #begun = 0;
  #late = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.atOnce }, () => Promise.resolve());
  }

  /** Rejects as the work does, and with an Error when it is late or earlier work is. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { milliseconds, late } = this.#options;
    if (this.#late > 0) throw new Error(`${late}; an earlier one has not ended`);
    const lane = this.#begun % this.#lanes.length;
    this.#begun += 1;
    let isLate = false;
    const ended = (this.#lanes[lane] ?? Promise.resolve()).then(() => (isLate ? null : work()));
    const settled = ended.catch(() => undefined);
    this.#lanes[lane] = settled;
    try {
      return (await withDeadline(ended, milliseconds, late)) as T;
    } catch (error) {
      if (error instanceof TimeoutError) {
        isLate = true;
        this.#late += 1;
        void settled.then(() => (this.#late -= 1));
      }
      throw error;
    }
  }
}
