import type { Transactional } from '@millrace/database';
import { LRUCache } from 'lru-cache';

/** How long a lost notice of a change goes unnoticed. One query per user in this time is no load. */
const TTL_MILLISECONDS = 60_000;

/** Names of variables by the display name of the fields that they fill. */
export type FieldVariables = ReadonlyMap<string, string>;

interface Entry {
  readonly found: FieldVariables | Promise<FieldVariables>;
  /** When the user was read last, or began to be read. */
  readonly readAt: number;
}

/**
 * Caches which fields the variables of a user fill (`default_fields`), so that runs of a user without any need no query.
 * What was read before stays valid while the user is read again: no run waits for it, also when the database does not answer.
 */
export class DefaultFields {
  readonly #database: Transactional;
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #cache = new LRUCache<string, Entry>({ maxSize: 10_000, sizeCalculation: () => 1 });

  constructor(database: Transactional) {
    this.#database = database;
  }

  /** Returns a promise only when nothing is known of the user. */
  of(userId: string): FieldVariables | Promise<FieldVariables> {
    const cached = this.#cache.get(userId);
    const readAt = performance.now();
    if (cached !== undefined && readAt - cached.readAt < TTL_MILLISECONDS) return cached.found;
    const reading = this.#read(userId);
    const entry = { found: cached?.found ?? reading, readAt };
    this.#cache.set(userId, entry);
    reading.then(
      (read) => this.#replace(userId, entry, { found: read, readAt }),
      () => {
        // What is known is read again after the next period.
        if (cached === undefined) this.#replace(userId, entry, undefined);
      },
    );
    return entry.found;
  }

  /** Drops what is cached of a user, after one of their variables changed. */
  forget(userId: string): void {
    this.#cache.delete(userId);
  }

  /** Does nothing when the entry was dropped, because the user has changed meanwhile. */
  #replace(userId: string, entry: Entry, next: Entry | undefined): void {
    if (this.#cache.peek(userId) === entry) this.#cache.set(userId, next);
  }

  /** As in Langflow, the newest of variables for one field counts. */
  async #read(userId: string): Promise<FieldVariables> {
    const { rows } = await this.#database.query<{ readonly name: string; readonly field: string }>({
      name: 'variables-default-fields',
      text: `SELECT name, field FROM variables, unnest(default_fields) AS field
        WHERE user_id = $1 AND field <> '' ORDER BY created_at, id`,
      values: [userId],
    });
    return new Map(rows.map(({ name, field }) => [field, name]));
  }
}
