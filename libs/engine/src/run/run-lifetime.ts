import { RunError } from '@millrace/flow';
import type { RunEnvironment } from './run-environment';
import { runEndedError } from './run-ended-error';

/** The maximum delay of a timer. */
const maximumTimerMilliseconds = 2 ** 31 - 1;

/**
 * The lifetime of a run: until its caller cancels it, its deadline passes or it is closed. The first of these notifies
 * the listeners, and then aborts the signal for all work in flight.
 */
export class RunLifetime {
  readonly #environment: RunEnvironment;
  readonly #listeners = new Set<(reason: RunError) => void>();
  readonly #cancel = (): void => this.#end(cancellation(this.#environment.signal.reason));
  #timer: NodeJS.Timeout | null = null;
  /** Created on first use of the signal: most runs end without one. */
  #controller: AbortController | null = null;
  #closed = false;
  #reason: RunError | null = null;

  constructor(environment: RunEnvironment) {
    this.#environment = environment;
    if (environment.signal.aborted) {
      this.#cancel();
      return;
    }
    environment.signal.addEventListener('abort', this.#cancel, { once: true });
    this.#watch();
  }

  /** Aborts when the run ends, for any reason. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#closed) this.#controller.abort(this.#reason ?? runEndedError);
    }
    return this.#controller.signal;
  }

  now(): number {
    return this.#environment.now?.() ?? Date.now();
  }

  remainingMilliseconds(): number {
    return Math.max(0, this.#environment.deadline - this.now());
  }

  /**
   * Calls back when the run is cancelled or its deadline passes, immediately if that already happened. Returns a
   * function that removes the listener.
   */
  onAbort(listener: (reason: RunError) => void): () => void {
    if (this.#reason !== null) listener(this.#reason);
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for work, at most until the run ends. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const removeListener = this.onAbort(reject);
      work.then(resolve, reject).finally(removeListener);
    });
  }

  /** Ends the remaining work of the run. Idempotent. */
  close(): void {
    this.#release();
    this.#abort(runEndedError);
  }

  #watch(): void {
    const remaining = this.remainingMilliseconds();
    if (remaining === 0) {
      this.#end(new RunError('deadline_exceeded', 'The run did not end before its deadline.'));
      return;
    }
    this.#timer = setTimeout(() => this.#watch(), Math.min(remaining, maximumTimerMilliseconds));
  }

  #end(reason: RunError): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    const listeners = [...this.#listeners];
    this.#release();
    for (const listener of listeners) listener(reason);
    this.#abort(reason);
  }

  #abort(reason: Error): void {
    this.#closed = true;
    this.#controller?.abort(reason);
  }

  #release(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#environment.signal.removeEventListener('abort', this.#cancel);
    this.#listeners.clear();
  }
}

function cancellation(reason: unknown): RunError {
  return reason instanceof RunError
    ? reason
    : new RunError('cancelled', 'The run was cancelled.', { cause: reason });
}
