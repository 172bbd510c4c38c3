import { abortReasonOf } from './abort-reason';
import type { AbortReason } from './abort-reason';
import type { RunRecorder } from './vertex-records/run-recorder';

/** An attempt in flight in this process. */
export class RunningAttempt {
  readonly runId: string;
  readonly attempt: number;
  /** True when the run has a row with a lease that must be renewed. */
  readonly durable: boolean;
  /** Tells what the vertices have done so far; null before the first one, and in a separate process. */
  recorder: Pick<RunRecorder, 'traceSoFar'> | null = null;
  readonly #abort = new AbortController();

  constructor(runId: string, attempt: number, durable: boolean) {
    this.runId = runId;
    this.attempt = attempt;
    this.durable = durable;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the attempt was aborted; null when it was not. */
  get abortReason(): AbortReason | null {
    return abortReasonOf(this.#abort.signal);
  }

  /** Aborts the attempt; of several reasons, the first one counts. */
  abort(reason: AbortReason): void {
    this.#abort.abort(reason);
  }
}

/** All in-flight attempts, by run id. */
export class RunningAttempts {
  readonly #attempts = new Map<string, RunningAttempt>();

  get size(): number {
    return this.#attempts.size;
  }

  get(runId: string): RunningAttempt | undefined {
    return this.#attempts.get(runId);
  }

  /** Registers an attempt as in flight, so that cancellations and heartbeats reach it. */
  add(attempt: RunningAttempt): void {
    this.#attempts.set(attempt.runId, attempt);
  }

  remove(attempt: RunningAttempt): void {
    if (this.#attempts.get(attempt.runId) === attempt) this.#attempts.delete(attempt.runId);
  }

  /** Aborts an attempt if it is in flight; returns whether it was. */
  abort(runId: string, reason: AbortReason): boolean {
    const attempt = this.#attempts.get(runId);
    attempt?.abort(reason);
    return attempt !== undefined;
  }

  abortAll(reason: AbortReason): void {
    for (const attempt of this.#attempts.values()) attempt.abort(reason);
  }

  durable(): RunningAttempt[] {
    return [...this.#attempts.values()].filter((attempt) => attempt.durable);
  }
}
