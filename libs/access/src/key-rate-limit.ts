import { HttpError } from '@millrace/http';
import { TokenBuckets } from '@millrace/service';

export interface KeyRateLimitOptions {
  /** Maximum number of requests of one key per second, over all processes together; undefined for no limit. */
  readonly perSecond: number | undefined;
  /** How many processes share the limit; each grants its part. */
  readonly processes: number;
}

/** Limits the request rate of each API key. */
export class KeyRateLimit {
  readonly #perSecond: number | undefined;
  readonly #buckets: TokenBuckets | null;

  constructor({ perSecond, processes }: KeyRateLimitOptions) {
    this.#perSecond = perSecond;
    this.#buckets = perSecond === undefined ? null : new TokenBuckets({ perSecond: perSecond / processes });
  }

  /** Counts one request of the key. Throws rate_limited, with the seconds until the next request is accepted. */
  count(keyHash: string): void {
    const wait = this.#buckets?.take(keyHash) ?? null;
    if (wait === null) return;
    const text = `Too many requests: the limit of this API key is ${this.#perSecond} per second.`;
    throw new HttpError('rate_limited', text, { headers: { 'retry-after': String(Math.ceil(wait)) } });
  }
}
