import { LRUCache } from 'lru-cache';

const MAXIMUM_BUCKETS = 50_000;
/** By size, because with `max` the room for all entries is taken at once. */
const BOUND = { maxSize: MAXIMUM_BUCKETS, sizeCalculation: () => 1 };

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface TokenBucketsOptions {
  /** How many tokens flow into each bucket, 0.5 for one every two seconds; it holds those of one second, and at least one. */
  readonly perSecond: number;
  /** Milliseconds that only rise. */
  readonly now?: () => number;
}

/**
 * Limits how often something happens, by name: so often in one second, and after that as evenly as tokens come in. Of
 * more than 50,000 names at a time those that are not heard of for longest begin anew.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>(BOUND);

  constructor({ perSecond, now = () => performance.now() }: TokenBucketsOptions) {
    this.#perSecond = perSecond;
    this.#capacity = Math.max(1, perSecond);
    this.#now = now;
  }

  /** Takes a token; null when there was one, else the seconds until there is one. */
  take(name: string): number | null {
    const now = this.#now();
    const bucket = this.#buckets.get(name);
    if (!bucket) {
      this.#buckets.set(name, { tokens: this.#capacity - 1, filledAt: now });
      return null;
    }
    const came = ((now - bucket.filledAt) / 1_000) * this.#perSecond;
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + came);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perSecond;
    bucket.tokens -= 1;
    return null;
  }
}
