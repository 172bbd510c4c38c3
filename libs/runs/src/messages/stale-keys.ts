import type { KeyValueStore } from '@millrace/key-value';
import type { Logger } from '@millrace/service';

const MAXIMUM_KEYS = 100_000;
const KEYS_AT_ONCE = 1_000;
const MAXIMUM_ROUNDS = 100;
const RETRY_MILLISECONDS = 500;

/**
 * Keys whose values missed a change while the store was unavailable. They are deleted as soon as the store answers
 * again; until then they must not be used.
 */
export class StaleKeys {
  readonly #keyValue: KeyValueStore;
  readonly #prefix: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #areAllStale = false;
  #closed = false;

  /** `prefix` is the common prefix of all keys of this kind. */
  constructor(keyValue: KeyValueStore, prefix: string, logger: Pick<Logger, 'warn'>) {
    this.#keyValue = keyValue;
    this.#prefix = prefix;
    this.#logger = logger;
  }

  /** True for every key once there are too many to track. */
  has(key: string): boolean {
    return this.#areAllStale || this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#keys.size === 0) {
      this.#logger.warn({ key }, 'key-value store unavailable; reading sessions from the database');
    }
    if (this.#keys.size < MAXIMUM_KEYS) this.#keys.add(key);
    else this.#areAllStale = true;
    this.#schedule();
  }

  /** Stops without deleting the remaining keys. Idempotent. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#clean(), RETRY_MILLISECONDS).unref();
  }

  async #clean(): Promise<void> {
    try {
      if (this.#areAllStale) await this.#deleteAll();
      while (this.#keys.size > 0) await this.#deleteBatch([...this.#keys].slice(0, KEYS_AT_ONCE));
      this.#areAllStale = false;
    } catch {
      // Still unavailable: a retry is scheduled below, without limit.
    }
    this.#timer = undefined;
    if (this.#keys.size > 0 || this.#areAllStale) this.#schedule();
  }

  async #deleteBatch(keys: readonly string[]): Promise<void> {
    await this.#keyValue.delete(keys);
    for (const key of keys) this.#keys.delete(key);
  }

  async #deleteAll(): Promise<void> {
    for (let round = 1; round <= MAXIMUM_ROUNDS; round += 1) {
      const keys = await this.#keyValue.keys(this.#prefix, KEYS_AT_ONCE);
      if (keys.length > 0) await this.#keyValue.delete(keys);
      if (keys.length < KEYS_AT_ONCE) return;
    }
  }
}
