import { LRUCache } from 'lru-cache';

/** Runs that were cancelled before their job came; a process remembers the newest ones for a while. */
export class CancelledRuns {
  // Bounded by size, because with `max` the room for all entries is taken at once.
  readonly #runs = new LRUCache<string, true>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: 600_000 });

  add(runId: string): void {
    this.#runs.set(runId, true);
  }

  has(runId: string): boolean {
    return this.#runs.has(runId);
  }
}
