import { EncryptionError, SecretStoreUnavailableError } from '@millrace/runs';
import type { VariableStore } from '@millrace/runs';
import { TimeoutError, withDeadline } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const FOUND_TTL_MILLISECONDS = 30_000;
const MISSING_TTL_MILLISECONDS = 5_000;
const MAXIMUM_WAIT_MILLISECONDS = 2_000;
const LATE = 'The secrets of the webhook could not be read in time.';

export interface WebhookSecretsDependencies {
  readonly variables: Pick<VariableStore, 'value' | 'hasOutside'>;
  readonly logger: Logger;
}

/**
 * Resolves the secrets of webhooks, which are variables of the flow's owner. Caches them until they expire or change.
 */
export class WebhookSecrets {
  readonly #dependencies: WebhookSecretsDependencies;
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #cache = new LRUCache<string, { readonly value: string | null }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
  });
  /** Counts changes, so that a value that was read before a change is not cached after it. */
  #changes = 0;

  constructor(dependencies: WebhookSecretsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the values of those variables that exist. Rejects with EncryptionError when no key opens any of them. */
  async find(userId: string, names: readonly string[]): Promise<string[]> {
    const found = await Promise.all(names.map((name) => this.#readable(userId, name)));
    const values = found.filter((value) => typeof value === 'string');
    const unreadable = found.find((value) => value instanceof EncryptionError);
    if (unreadable && values.length === 0) throw unreadable;
    return values;
  }

  /**
   * As `find`, for a sender that waits. `inTime` is for questions to the database: a store outside that does not answer refuses
   * only the webhooks that need it. Then rejects with SecretStoreUnavailableError.
   */
  async findInTime(
    userId: string,
    names: readonly string[],
    inTime: (ask: () => Promise<string[]>) => Promise<string[]>,
  ): Promise<string[]> {
    const find = () => this.find(userId, names);
    if (!this.#dependencies.variables.hasOutside) return inTime(find);
    try {
      return await withDeadline(find(), MAXIMUM_WAIT_MILLISECONDS, LATE);
    } catch (error) {
      throw error instanceof TimeoutError ? new SecretStoreUnavailableError(LATE, error) : error;
    }
  }

  /** Drops the cached values of a user, after one of their variables changed. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const key of this.#cache.keys()) if (key.startsWith(`${userId} `)) this.#cache.delete(key);
  }

  async #readable(userId: string, name: string): Promise<string | EncryptionError | null> {
    try {
      return await this.#value(userId, name);
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      const reason = error.message;
      this.#dependencies.logger.error(
        { userId, name, reason },
        'variable of a webhook secret cannot be decrypted',
      );
      return error;
    }
  }

  async #value(userId: string, name: string): Promise<string | null> {
    const key = `${userId} ${name}`;
    const cached = this.#cache.get(key);
    if (cached) return cached.value;
    const changes = this.#changes;
    const value = (await this.#dependencies.variables.value(userId, name)) ?? null;
    if (value === null)
      this.#dependencies.logger.warn(
        { userId, name },
        'variable of a webhook secret not found; signatures made with it will be refused',
      );
    const ttl = value === null ? MISSING_TTL_MILLISECONDS : FOUND_TTL_MILLISECONDS;
    if (changes === this.#changes) this.#cache.set(key, { value }, { ttl });
    return value;
  }
}
