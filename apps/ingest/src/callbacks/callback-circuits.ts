import { backoff } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const FAILURES_TO_OPEN = 5;
const PAUSES = { initialMilliseconds: 15_000, maximumMilliseconds: 300_000 };

interface Circuit {
  /** Failures since the last success. */
  readonly failures: number;
  /** When the circuit is half-open; in milliseconds, on the clock of `now`. */
  readonly openUntil: number;
}

/**
 * The circuit breakers of targets. Five failures in a row open the circuit of a target: nothing is sent to it during a
 * pause, then one delivery at a time until one succeeds. Pauses double from 15 s to 5 min; jitter shortens each by up to
 * half.
 */
export class CallbackCircuits {
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #circuits = new LRUCache<string, Circuit>({ maxSize: 10_000, sizeCalculation: () => 1 });

  /** Closes the circuit of a target. */
  succeeded(target: string): void {
    this.#circuits.delete(target);
  }

  /** Returns true when this failure opens a circuit that was closed. */
  failed(target: string, now: number): boolean {
    const failures = (this.#circuits.get(target)?.failures ?? 0) + 1;
    const further = Math.max(0, failures - FAILURES_TO_OPEN);
    const openUntil = failures < FAILURES_TO_OPEN ? 0 : now + backoff({ ...PAUSES, attempt: further });
    this.#circuits.set(target, { failures, openUntil });
    return failures === FAILURES_TO_OPEN;
  }

  /** Returns how many deliveries can be under way to each target whose circuit is open (0) or half-open (1). */
  limits(now: number): Map<string, number> {
    const limits = new Map<string, number>();
    for (const [target, { failures, openUntil }] of this.#circuits.entries())
      if (failures >= FAILURES_TO_OPEN) limits.set(target, openUntil > now ? 0 : 1);
    return limits;
  }
}
