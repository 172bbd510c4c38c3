import { RunError } from '@millrace/flow';
import type { RunEnvironment } from './run-environment';
import { runIsOver } from './run-is-over';

/** The longest wait a timer can hold. */
const longestTimerMilliseconds = 2 ** 31 - 1;

/**
 * How long a run lasts: until its caller cancels it, its deadline passes or it is closed. Whichever comes first is told
 * to the listeners, and then to all work in hand over the signal.
 */
export class RunLifetime {
  readonly #environment: RunEnvironment;
  readonly #listeners = new Set<(reason: RunError) => void>();
  readonly #cancel = (): void => this.#end(cancellation(this.#environment.signal.reason));
  #timer: NodeJS.Timeout | null = null;
  /** Made when somebody asks for the signal: most runs are over before. */
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

  /** Fires when the run is over, for whatever reason. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#closed) this.#controller.abort(this.#reason ?? runIsOver);
    }
    return this.#controller.signal;
  }

  now(): number {
    return this.#environment.now?.() ?? Date.now();
  }

  remainingMilliseconds(): number {
    return Math.max(0, this.#environment.deadline - this.now());
  }

  /** Calls back when the run is cut short, at once when it already is. Gives what takes the listener off again. */
  onCutShort(listener: (reason: RunError) => void): () => void {
    if (this.#reason !== null) listener(this.#reason);
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits for work, but not longer than the run lasts. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const takeOff = this.onCutShort(reject);
      work.then(resolve, reject).finally(takeOff);
    });
  }

  /** Ends what is left of the run's work. Twice is fine. */
  close(): void {
    this.#release();
    this.#abort(runIsOver);
  }

  #watch(): void {
    const remaining = this.remainingMilliseconds();
    if (remaining === 0) {
      this.#end(new RunError('deadline_exceeded', 'The run did not end before its deadline.'));
      return;
    }
    this.#timer = setTimeout(() => this.#watch(), Math.min(remaining, longestTimerMilliseconds));
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
