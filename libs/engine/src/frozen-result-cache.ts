import { LRUCache } from 'lru-cache';
import type { FrozenResult, FrozenResults } from './run-environment';

/** What one entry takes besides its contents. */
const entryBytes = 500;

/** Keeps results of frozen vertices in this process, the latest used ones, up to so many bytes. */
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
