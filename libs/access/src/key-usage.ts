import type { ApiKeyStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const INTERVAL_MILLISECONDS = 5_000;
const MAXIMUM_KEYS = 10_000;

export interface KeyUsageOptions {
  readonly apiKeys: Pick<ApiKeyStore, 'countUses'>;
  readonly logger: Logger;
}

/** Counts the uses of keys and stores the counts every few seconds, in one statement for all keys. */
export class KeyUsage {
  readonly #apiKeys: Pick<ApiKeyStore, 'countUses'>;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #uses = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor({ apiKeys, logger }: KeyUsageOptions) {
    this.#apiKeys = apiKeys;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.flush(), INTERVAL_MILLISECONDS);
    this.#timer.unref();
  }

  count(keyHash: string): void {
    this.#uses.set(keyHash, (this.#uses.get(keyHash) ?? 0) + 1);
    if (this.#uses.size > MAXIMUM_KEYS) void this.flush();
  }

  /** Stores the counts so far. Counts that cannot be stored are dropped, since nothing is billed by them. */
  flush(): Promise<void> {
    if (this.#uses.size === 0) return this.#writing;
    const uses = this.#uses;
    this.#uses = new Map();
    this.#writing = this.#writing
      .then(() => this.#apiKeys.countUses(uses))
      .catch((error: unknown) =>
        this.#logger.warn({ error, keys: uses.size }, 'uses of API keys could not be stored'),
      );
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
