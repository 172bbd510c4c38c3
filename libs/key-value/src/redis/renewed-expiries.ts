import { LRUCache } from 'lru-cache';
import type { AppendOptions } from '../key-value-store';

const MAXIMUM_KEYS = 10_000;
const RECENT_SHARE = 1 / 10;
const MAXIMUM_RECENT_MILLISECONDS = 60_000;

/** Lists whose expiry this process renewed so recently that another renewal would change little. */
export class RenewedExpiries {
  readonly #times = new LRUCache<string, number>({ max: MAXIMUM_KEYS });

  isRecent(key: string, { ttlMilliseconds }: AppendOptions): boolean {
    const renewedAt = this.#times.get(key);
    if (renewedAt === undefined) return false;
    const recent = Math.min(MAXIMUM_RECENT_MILLISECONDS, ttlMilliseconds * RECENT_SHARE);
    return performance.now() - renewedAt < recent;
  }

  record(key: string): void {
    this.#times.set(key, performance.now());
  }
}
