/** An attempt in flight in this process. */
export interface RunningAttempt {
  readonly runId: string;
  readonly attempt: number;
  /** True when the run has a row with a lease that must be renewed. */
  readonly durable: boolean;
  readonly abort: AbortController;
}

/** Why an attempt's AbortSignal fired. */
export type AbortReason = 'cancelled' | 'deadline' | 'fenced' | 'shutdown';

/** All in-flight attempts, by run id. */
export class RunningAttempts {
  readonly #attempts = new Map<string, RunningAttempt>();

  get size(): number {
    return this.#attempts.size;
  }

  get(runId: string): RunningAttempt | undefined {
    return this.#attempts.get(runId);
  }

  add(attempt: RunningAttempt): void {
    this.#attempts.set(attempt.runId, attempt);
  }

  remove(attempt: RunningAttempt): void {
    if (this.#attempts.get(attempt.runId) === attempt) this.#attempts.delete(attempt.runId);
  }

  /** Aborts an attempt if it is in flight; returns whether it was. */
  abort(runId: string, reason: AbortReason): boolean {
    const attempt = this.#attempts.get(runId);
    attempt?.abort.abort(reason);
    return attempt !== undefined;
  }

  abortAll(reason: AbortReason): void {
    for (const attempt of this.#attempts.values()) attempt.abort.abort(reason);
  }

  durable(): RunningAttempt[] {
    return [...this.#attempts.values()].filter((attempt) => attempt.durable);
  }
}
