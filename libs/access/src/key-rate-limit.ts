import { HttpError } from '@millrace/http';
import type { KeyValueStore } from '@millrace/key-value';
import { TokenBuckets } from '@millrace/service';
import type { Logger } from '@millrace/service';

export interface KeyRateLimitOptions {
  /** Maximum number of requests of one key per second, over all processes together; undefined for no limit. */
  readonly perSecond: number | undefined;
  /** Counts for all processes. */
  readonly keyValue: Pick<KeyValueStore, 'take'>;
  /** What is counted: processes with the same name share a limit. */
  readonly name: string;
  /** Among how many processes the limit is divided while the key-value store is away. */
  readonly processes: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** A burst of half a second keeps any ten seconds below 1.05 times the limit. */
const BURST_SECONDS = 0.5;

/** Limits the request rate of each API key, over all processes. */
export class KeyRateLimit {
  readonly #options: KeyRateLimitOptions;
  readonly #allowance: { readonly perSecond: number; readonly burst: number } | null;
  readonly #own: TokenBuckets;
  /** False while the key-value store does not count. */
  #isShared = true;

  constructor(options: KeyRateLimitOptions) {
    const { perSecond, processes } = options;
    this.#options = options;
    this.#allowance =
      perSecond === undefined ? null : { perSecond, burst: Math.max(1, perSecond * BURST_SECONDS) };
    this.#own = new TokenBuckets({ perSecond: (perSecond ?? 1) / processes });
  }

  /**
   * Counts one request of the key; undefined where there is no limit. Rejects with rate_limited, which has the seconds until
   * the next request is accepted.
   */
  count(keyHash: string): Promise<void> | undefined {
    return this.#allowance === null ? undefined : this.#count(keyHash, this.#allowance);
  }

  async #count(keyHash: string, allowance: { perSecond: number; burst: number }): Promise<void> {
    const { keyValue, name } = this.#options;
    const seconds = await keyValue.take(`rate:${name}:${keyHash}`, allowance).then(
      (milliseconds) => {
        this.#noteShared(true);
        return milliseconds / 1_000;
      },
      (error: unknown) => {
        this.#noteShared(false, error);
        return this.#own.take(keyHash) ?? 0;
      },
    );
    if (seconds === 0) return;
    const { perSecond } = allowance;
    const wait = Math.ceil(seconds);
    throw new HttpError(
      'rate_limited',
      `Too many requests: the limit of this API key is ${perSecond} per second.`,
      {
        headers: {
          'retry-after': String(wait),
          'ratelimit-policy': `"key";q=${perSecond};w=1`,
          ratelimit: `"key";r=0;t=${wait}`,
        },
      },
    );
  }

  /** Writes a line for each change. */
  #noteShared(isShared: boolean, error?: unknown): void {
    if (isShared === this.#isShared) return;
    this.#isShared = isShared;
    const { logger, name } = this.#options;
    if (isShared) logger.info({ limit: name }, 'the rate limit of keys is shared again');
    else
      logger.warn(
        { limit: name, error },
        'the rate limit of keys is divided among processes: Redis does not count',
      );
  }
}
