import { brokerUrlProblem } from '@millrace/dispatch';
import type { VariableStore } from '@millrace/runs';
import { LRUCache } from 'lru-cache';

const TTL_MILLISECONDS = 30_000;

/** The variable of a connection cannot be used; the message is for its owner. */
export class ConnectionVariableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionVariableError';
  }
}

/**
 * Resolves the URLs of users' brokers, which are variables of type Credential. A URL that was read is kept until the
 * variable changes, at most 30 seconds.
 */
export class BrokerUrls {
  readonly #variables: Pick<VariableStore, 'find'>;
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #cache = new LRUCache<string, string>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
    ttl: TTL_MILLISECONDS,
  });
  /** Counts changes, so that a value that was read before a change is not kept after it. */
  #changes = 0;

  constructor({ variables }: { readonly variables: Pick<VariableStore, 'find'> }) {
    this.#variables = variables;
  }

  /** Throws ConnectionVariableError, and the errors of the database. */
  async find(userId: string, name: string): Promise<string> {
    const key = `${userId} ${name}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const changes = this.#changes;
    const found = await this.#variables.find(userId, name);
    if (!found?.isCredential)
      throw new ConnectionVariableError(`The variable ${name} of type Credential does not exist.`);
    const problem = brokerUrlProblem(found.value);
    if (problem !== null) throw new ConnectionVariableError(`The value of the variable ${name} ${problem}.`);
    if (changes === this.#changes) this.#cache.set(key, found.value);
    return found.value;
  }

  /** Drops the URLs of a user, after one of their variables changed. */
  forget(userId: string): void {
    this.#changes += 1;
    for (const key of this.#cache.keys()) if (key.startsWith(`${userId} `)) this.#cache.delete(key);
  }
}
