import { LRUCache } from 'lru-cache';
import type { FrozenResult, FrozenResults } from '../run/run-environment';

/** Estimated size of one entry in addition to its content. */
const entryBytes = 500;

/**
 * Caches results of frozen vertices in this process, the least recently used are evicted first, up to a number of
 * bytes.
 */
export class FrozenResultCache implements FrozenResults {
  readonly #results: LRUCache<string, FrozenResult>;

  constructor({ maximumBytes }: { readonly maximumBytes: number }) {
    this.#results = new LRUCache({ maxSize: maximumBytes });
  }

  get(key: string): FrozenResult | undefined {
    return this.#results.get(key);
  }

  set(key: string, result: FrozenResult, bytes: number): void {
    this.#results.set(key, result, { size: entryBytes + bytes });
  }
}
