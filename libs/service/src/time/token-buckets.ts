import { LRUCache } from 'lru-cache';

const MAXIMUM_BUCKETS = 50_000;
/** Bounded by size, because `max` would allocate memory for all entries at once. */
const CACHE_SIZE = { maxSize: MAXIMUM_BUCKETS, sizeCalculation: () => 1 };

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface TokenBucketsOptions {
  /**
   * Refill rate of each bucket, such as 0.5 for one token every two seconds. The capacity is one second, at least 1.
   */
  readonly perSecond: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Limits the rate of events by name: a burst of one second's tokens, and after that the refill rate. At most 50,000 buckets are
 * kept. A name whose bucket was dropped, the least recently used one, has a full bucket again.
 */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #buckets = new LRUCache<string, Bucket>(CACHE_SIZE);

  constructor({ perSecond, now = () => performance.now() }: TokenBucketsOptions) {
    this.#perSecond = perSecond;
    this.#capacity = Math.max(1, perSecond);
    this.#now = now;
  }

  /** Takes a token; returns null on success, else the seconds until the next token. */
  take(name: string): number | null {
    const now = this.#now();
    const bucket = this.#buckets.get(name);
    if (!bucket) {
      this.#buckets.set(name, { tokens: this.#capacity - 1, filledAt: now });
      return null;
    }
    const refilled = ((now - bucket.filledAt) / 1_000) * this.#perSecond;
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + refilled);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / this.#perSecond;
    bucket.tokens -= 1;
    return null;
  }
}
