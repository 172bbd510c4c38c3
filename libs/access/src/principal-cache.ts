import type { Principal } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const KNOWN_MILLISECONDS = 30_000;
const UNKNOWN_MILLISECONDS = 5_000;
const MAXIMUM_ENTRIES = 20_000;
/** Limited by size, because `max` allocates memory for all entries at once. */
const SIZE_LIMIT = { maxSize: MAXIMUM_ENTRIES, sizeCalculation: () => 1 };

export interface PrincipalCacheOptions<Found extends Principal = Principal> {
  /** Resolves the hash of a key or of a session's token. */
  readonly apiKeys: { resolve(hash: string): Promise<Found | null> };
  readonly now?: () => number;
}

/**
 * Caches the owners of keys, or of sessions of the web console: the database is queried at most every 30 s for each key (5 s
 * for an unknown key). Unknown keys are cached separately, so that a flood of them cannot evict the good ones.
 */
export class PrincipalCache<Found extends Principal = Principal> {
  readonly #apiKeys: PrincipalCacheOptions<Found>['apiKeys'];
  readonly #now: () => number;
  readonly #known = new LRUCache<string, Found>({ ...SIZE_LIMIT, ttl: KNOWN_MILLISECONDS });
  readonly #unknown = new LRUCache<string, true>({ ...SIZE_LIMIT, ttl: UNKNOWN_MILLISECONDS });
  readonly #lookups = new Map<string, Promise<Found | null>>();
  /** Counts revocations, so that the result of a query from before a revocation is not cached after it. */
  #revocations = 0;

  constructor({ apiKeys, now = machineTime }: PrincipalCacheOptions<Found>) {
    this.#apiKeys = apiKeys;
    this.#now = now;
  }

  /**
   * Returns the owner of the key with this hash; null when it is unknown, inactive or expired. No promise when it is
   * cached.
   */
  find(keyHash: string): Found | null | Promise<Found | null> {
    const known = this.#known.get(keyHash);
    if (known !== undefined) return this.#unlessExpired(known);
    if (this.#unknown.get(keyHash)) return null;
    let lookup = this.#lookups.get(keyHash);
    if (!lookup) {
      lookup = this.#lookUp(keyHash).finally(() => this.#lookups.delete(keyHash));
      this.#lookups.set(keyHash, lookup);
    }
    return lookup;
  }

  /** Drops a key that was deleted or changed. */
  invalidate(keyHash: string): void {
    this.#revocations += 1;
    this.#known.delete(keyHash);
    this.#unknown.delete(keyHash);
    this.#lookups.delete(keyHash);
  }

  /** Drops all principals of an API key that was deleted, however they were found. */
  invalidateKey(keyHash: string): void {
    this.#revocations += 1;
    this.#lookups.clear();
    for (const [hash, principal] of this.#known.entries())
      if (principal.keyHash === keyHash) this.#known.delete(hash);
  }

  /** Drops all principals. */
  clear(): void {
    this.#revocations += 1;
    this.#lookups.clear();
    this.#known.clear();
  }

  async #lookUp(keyHash: string): Promise<Found | null> {
    const revocations = this.#revocations;
    const principal = await this.#apiKeys.resolve(keyHash);
    if (revocations === this.#revocations) {
      if (principal) this.#known.set(keyHash, principal);
      else this.#unknown.set(keyHash, true);
    }
    return principal && this.#unlessExpired(principal);
  }

  #unlessExpired(principal: Found): Found | null {
    const { expiresAt } = principal;
    return expiresAt !== null && expiresAt.getTime() <= this.#now() ? null : principal;
  }
}
