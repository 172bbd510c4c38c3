import { ComponentError } from '@millrace/flow';

const maximumWaiting = 1_000;

/** Limits the number of concurrent threads of a kind, because threads need memory and processors are few. */
export class ThreadSemaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #work: string;
  #available: number;

  /** `work` names in the plural what waits, such as `documents`, for the error of a caller. */
  constructor(maximum: number, work: string) {
    this.#available = maximum;
    this.#work = work;
  }

  /**
   * Waits for a free slot, first come, first served, and performs the work, which starts and ends a thread. Throws the
   * error of the work, the signal's reason, or a ComponentError when too many callers are waiting.
   */
  async use<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.#available > 0) this.#available -= 1;
    else await this.#acquire(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Passes the slot directly to the next waiting caller, so that no later caller can take it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#available += 1;
    else next();
  }

  #acquire(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= maximumWaiting) {
      return Promise.reject(new ComponentError(`Too many ${this.#work} wait for a thread.`));
    }
    return new Promise((resolve, reject) => {
      const grant = (): void => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(grant), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(grant);
    });
  }
}
