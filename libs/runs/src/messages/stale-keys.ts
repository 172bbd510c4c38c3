import type { KeyValueStore } from '@millrace/key-value';
import type { Logger } from '@millrace/service';

const MAXIMUM_KEYS = 100_000;
const KEYS_AT_ONCE = 1_000;
const MAXIMUM_ROUNDS = 100;
const RETRY_MILLISECONDS = 500;

/**
 * Keys whose values missed a change while the store was away. They are deleted as soon as it answers again; until
 * then they must not be used.
 */
export class StaleKeys {
  readonly #keyValue: KeyValueStore;
  readonly #prefix: string;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #keys = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isEvery = false;
  #closed = false;

  /** `prefix` is what all keys of this kind begin with. */
  constructor(keyValue: KeyValueStore, prefix: string, logger: Pick<Logger, 'warn'>) {
    this.#keyValue = keyValue;
    this.#prefix = prefix;
    this.#logger = logger;
  }

  /** True for every key once there were too many to remember. */
  has(key: string): boolean {
    return this.#isEvery || this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#keys.size === 0) {
      this.#logger.warn({ key }, 'the key-value store is away: sessions are read from the database');
    }
    if (this.#keys.size < MAXIMUM_KEYS) this.#keys.add(key);
    else this.#isEvery = true;
    this.#schedule();
  }

  /** Gives up on what is left. Twice is fine. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#closed) this.#timer ??= setTimeout(() => void this.#clean(), RETRY_MILLISECONDS).unref();
  }

  async #clean(): Promise<void> {
    try {
      if (this.#isEvery) await this.#deleteEvery();
      while (this.#keys.size > 0) await this.#deleteSome([...this.#keys].slice(0, KEYS_AT_ONCE));
      this.#isEvery = false;
    } catch {
      // Still away: tried again below, as often as it takes.
    }
    this.#timer = undefined;
    if (this.#keys.size > 0 || this.#isEvery) this.#schedule();
  }

  async #deleteSome(keys: readonly string[]): Promise<void> {
    await this.#keyValue.delete(keys);
    for (const key of keys) this.#keys.delete(key);
  }

  async #deleteEvery(): Promise<void> {
    for (let round = 1; round <= MAXIMUM_ROUNDS; round += 1) {
      const keys = await this.#keyValue.keys(this.#prefix, KEYS_AT_ONCE);
      if (keys.length > 0) await this.#keyValue.delete(keys);
      if (keys.length < KEYS_AT_ONCE) return;
    }
  }
}
