import { backoff } from '@millrace/service';

const delays = { initialMilliseconds: 200, maximumMilliseconds: 10_000 };

/** The delay between processes that did not start. */
export class StartRetry {
  readonly #retry: () => void;
  #failures = 0;
  #lastFailure: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `retry` is called when processes can be started again. */
  constructor(retry: () => void) {
    this.#retry = retry;
  }

  /** Whether no process should be started yet. */
  get isWaiting(): boolean {
    return this.#timer !== null;
  }

  /** Why the last process did not start; null when it did. */
  get lastFailure(): string | null {
    return this.#lastFailure;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#lastFailure = null;
  }

  failed(error: unknown): void {
    this.#lastFailure = error instanceof Error ? error.message : String(error);
    if (this.#timer !== null) return;
    const delay = backoff({ ...delays, attempt: this.#failures });
    this.#failures += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#retry();
    }, delay);
    this.#timer.unref();
  }

  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
