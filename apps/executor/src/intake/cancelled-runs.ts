import { LRUCache } from 'lru-cache';

/** Runs that were cancelled before their job arrived; the newest ones are kept for ten minutes. */
export class CancelledRuns {
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #runs = new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: 600_000 });

  add(runId: string): void {
    this.#runs.set(runId, true);
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }
}
