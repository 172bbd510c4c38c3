import { LRUCache } from 'lru-cache';
import type { AppendOptions } from '../key-value-store';

const MAXIMUM_KEYS = 10_000;
const RECENT_SHARE = 1 / 10;
const LONGEST_RECENT_MILLISECONDS = 60_000;

/** Lists whose expiry this process renewed so lately that to renew it again would change next to nothing. */
export class RenewedExpiries {
  readonly #times = new LRUCache<string, number>({ max: MAXIMUM_KEYS });

  isRecent(key: string, { ttlMilliseconds }: AppendOptions): boolean {
    const renewedAt = this.#times.get(key);
    if (renewedAt === undefined) return false;
    const recent = Math.min(LONGEST_RECENT_MILLISECONDS, ttlMilliseconds * RECENT_SHARE);
    return performance.now() - renewedAt < recent;
  }

  note(key: string): void {
    this.#times.set(key, performance.now());
  }
}
