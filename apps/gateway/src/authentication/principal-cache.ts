import type { ApiKeyStore, Principal } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const KNOWN_MILLISECONDS = 30_000;
const UNKNOWN_MILLISECONDS = 5_000;
const MAXIMUM_ENTRIES = 20_000;
/** By size, because with `max` the room for all entries is taken at once. */
const BOUND = { maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 };

export interface PrincipalCacheOptions {
  readonly apiKeys: Pick<ApiKeyStore, 'resolve'>;
  readonly now?: () => number;
}

/**
 * Who a key belongs to, asked of the database at most every 30 s a key (5 s for keys that are none). A flood of bad
 * keys cannot push the good ones out: they are kept apart.
 */
export class PrincipalCache {
  readonly #apiKeys: Pick<ApiKeyStore, 'resolve'>;
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Principal>({ ...BOUND, ttl: KNOWN_MILLISECONDS });
  readonly #unknown = new LRUCache<string, true>({ ...BOUND, ttl: UNKNOWN_MILLISECONDS });
  readonly #asking = new Map<string, Promise<Principal | null>>();
  /** Counts revocations, so that an answer from before one is not kept after it. */
  #revocations = 0;

  constructor({ apiKeys, now = Date.now }: PrincipalCacheOptions) {
    this.#apiKeys = apiKeys;
    this.#now = now;
  }

  /** The owner of the key with this hash; null when it is unknown, inactive or expired. At once when it is cached. */
  find(keyHash: string): Principal | null | Promise<Principal | null> {
    const known = this.#known.get(keyHash);
    if (known !== undefined) return this.#unlessExpired(known);
    if (this.#unknown.get(keyHash)) return null;
    let asking = this.#asking.get(keyHash);
    if (!asking) {
      asking = this.#ask(keyHash).finally(() => this.#asking.delete(keyHash));
      this.#asking.set(keyHash, asking);
    }
    return asking;
  }

  /** The key was deleted or changed: the next request asks again. */
  forget(keyHash: string): void {
    this.#revocations += 1;
    this.#known.delete(keyHash);
    this.#unknown.delete(keyHash);
    this.#asking.delete(keyHash);
  }

  async #ask(keyHash: string): Promise<Principal | null> {
    const revocations = this.#revocations;
    const principal = await this.#apiKeys.resolve(keyHash);
    if (revocations === this.#revocations) {
      if (principal) this.#known.set(keyHash, principal);
      else this.#unknown.set(keyHash, true);
    }
    return principal && this.#unlessExpired(principal);
  }

  #unlessExpired(principal: Principal): Principal | null {
    const { expiresAt } = principal;
    return expiresAt !== null && expiresAt.getTime() <= this.#now() ? null : principal;
  }
}
