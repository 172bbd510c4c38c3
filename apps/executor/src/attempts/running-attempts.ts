import { LRUCache } from 'lru-cache';
import type { RunRecorder } from './vertex-records/run-recorder';

/**
 * Why an attempt was aborted:
 *
 * - `cancelled`: its caller or its user does not want the run any more
 * - `fenced`: another attempt owns the run
 * - `shutdown`: this executor stops
 */
export type AbortReason = 'cancelled' | 'fenced' | 'shutdown';

/** Returns why the signal of an attempt fired; null when it has not. Only AbortReasons abort such a signal. */
export function abortReasonOf(signal: AbortSignal): AbortReason | null {
  return signal.aborted ? (signal.reason as AbortReason) : null;
}

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

/** All in-flight attempts, by run id, and the runs that were cancelled before their attempt. */
export class RunningAttempts {
  readonly #attempts = new Map<string, RunningAttempt>();
  /** The newest ones, for ten minutes. Bounded by size, because `max` would allocate memory for all entries at once. */
  readonly #cancelledRuns = new LRUCache<string, true>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: 600_000,
  });

  get size(): number {
    return this.#attempts.size;
  }

  get(runId: string): RunningAttempt | undefined {
    return this.#attempts.get(runId);
  }

  /** Registers an attempt as in flight, so that cancellations and heartbeats reach it; also an earlier cancellation. */
  add(attempt: RunningAttempt): void {
    const { runId, durable } = attempt;
    this.#attempts.set(runId, attempt);
    // The row of a durable run has the cancellation: the claim and the heartbeats read it.
    if (!durable && this.#cancelledRuns.has(runId)) attempt.abort('cancelled');
  }

  remove(attempt: RunningAttempt): void {
    if (this.#attempts.get(attempt.runId) === attempt) this.#attempts.delete(attempt.runId);
  }

  /** Cancels the attempt of a run: the one in flight, else the one that begins next. */
  cancel(runId: string): void {
    if (!this.abort(runId, 'cancelled')) this.#cancelledRuns.set(runId, true);
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
