import type { VariableStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';

const KNOWN_MILLISECONDS = 30_000;
const UNKNOWN_MILLISECONDS = 5_000;

export interface WebhookSecretsDependencies {
  readonly variables: Pick<VariableStore, 'value'>;
  readonly logger: Logger;
}

/** The secrets of webhooks: values of their owners' variables, kept for a moment. A change ends that at once. */
export class WebhookSecrets {
  readonly #dependencies: WebhookSecretsDependencies;
  // Bounded by size, because with `max` the room for all entries is taken at once.
  readonly #kept = new LRUCache<string, { readonly value: string | null }>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
  });
  /** Counts changes, so that a value from before one is not kept after it. */
  #changes = 0;

  constructor(dependencies: WebhookSecretsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The values of those variables that the user has. */
  async find(userId: string, names: readonly string[]): Promise<string[]> {
    const values = await Promise.all(names.map((name) => this.#value(userId, name)));
    return values.filter((value) => value !== null);
  }

  /** Somebody changed a variable of the user's. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const key of this.#kept.keys()) if (key.startsWith(`${userId} `)) this.#kept.delete(key);
  }

  async #value(userId: string, name: string): Promise<string | null> {
    const key = `${userId} ${name}`;
    const kept = this.#kept.get(key);
    if (kept) return kept.value;
    const changes = this.#changes;
    const value = (await this.#dependencies.variables.value(userId, name)) ?? null;
    if (value === null)
      this.#dependencies.logger.warn(
        { userId, name },
        'a variable that holds a secret of webhooks is missing',
      );
    const ttl = value === null ? UNKNOWN_MILLISECONDS : KNOWN_MILLISECONDS;
    if (changes === this.#changes) this.#kept.set(key, { value }, { ttl });
    return value;
  }
}
