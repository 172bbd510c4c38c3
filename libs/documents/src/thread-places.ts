import { ComponentError } from '@millrace/flow';

const mostWaiting = 1_000;

/** How many threads of a kind the process has at a time: each takes memory, and processors are few. */
export class ThreadPlaces {
  readonly #waiting: (() => void)[] = [];
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  /**
   * Waits until a thread may be started, first come, first served, and does the work, which starts one and ends it.
   * Throws what the work throws, the signal's reason, and a ComponentError when too many wait already.
   */
  async use<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#left > 0) this.#left -= 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** The place itself is passed on, so that nobody who comes later takes it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#left += 1;
    else next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= mostWaiting) {
      return Promise.reject(new ComponentError('Too many others wait for their turn already.'));
    }
    return new Promise((resolve, reject) => {
      const give = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(give);
    });
  }
}
