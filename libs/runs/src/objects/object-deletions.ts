import type { Queryable } from '@millrace/database';
import { IN_OBJECT } from '../text-templates/whole-text';
import type { ObjectStore } from './object-store';

const DUE_AT_ONCE = 100;
const CONCURRENT_DELETIONS = 8;
/** A process looks for orphans when none has begun to within this time. */
const SWEEP_EVERY = '6 hours';
/** No upload takes this long, and the clock of the store can differ. */
const ORPHAN_AFTER_MILLISECONDS = 24 * 3_600_000;

/** Another process that has ended did not delete them: each claim lasts longer than the one before, up to about an hour. */
const CLAIM = `UPDATE object_deletions SET attempts = attempts + 1,
    due_at = now() + interval '15 seconds' * 2 ^ least(attempts, 8) * (0.5 + random() / 2)
  WHERE key IN (SELECT key FROM object_deletions WHERE due_at <= now() ORDER BY due_at LIMIT ${DUE_AT_ONCE}
    FOR UPDATE SKIP LOCKED)
  RETURNING key`;

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

/** What comes after the id of the installation in keys, and whether a row names a key. Objects of later releases stay. */
const KINDS = [
  {
    place: 'files',
    key: new RegExp(`/files/${UUID}$`),
    isNamed: 'SELECT FROM files WHERE files.id = right(key, 36)::uuid AND object_key = key',
  },
  {
    place: 'runs',
    key: new RegExp(`/runs/${UUID}/${UUID}$`),
    isNamed: `SELECT FROM runs WHERE runs.id = left(right(key, 73), 36)::uuid
      AND (starts_with(result, '${IN_OBJECT}' || key || ' ') OR starts_with(request, '${IN_OBJECT}' || key || ' '))`,
  },
] as const;
type Kind = (typeof KINDS)[number];

export interface ObjectDeletionsOptions {
  readonly database: Queryable;
  readonly objects: ObjectStore;
  /** The age from which an object without a row counts as an orphan; a day unless given. */
  readonly orphanAfterMilliseconds?: number;
}

export interface DeletedObjects {
  readonly deleted: number;
  /** Why the others stay for a later call; null when all were deleted. */
  readonly failure: unknown;
}

export interface SweptObjects {
  readonly objects: number;
  /** Those that no row names; their deletion is due. */
  readonly orphans: number;
  /** Uploads that were never completed, and are discarded. */
  readonly uploads: number;
}

/** Deletes objects: those whose row was deleted, and those that never got a row. */
export class ObjectDeletions {
  readonly #database: Queryable;
  readonly #objects: ObjectStore;
  readonly #orphanAfterMilliseconds: number;

  constructor(options: ObjectDeletionsOptions) {
    this.#database = options.database;
    this.#objects = options.objects;
    this.#orphanAfterMilliseconds = options.orphanAfterMilliseconds ?? ORPHAN_AFTER_MILLISECONDS;
  }

  /** Deletes up to 100 objects that are due. Any number of processes can call it. */
  async deleteDue(): Promise<DeletedObjects> {
    const { rows } = await this.#database.query<{ key: string }>({ text: CLAIM });
    const waiting = rows.map(({ key }) => key);
    const deleted: string[] = [];
    let failure: unknown = null;
    const work = async () => {
      for (let key = waiting.pop(); key !== undefined && failure === null; key = waiting.pop()) {
        try {
          await this.#objects.delete(key);
          deleted.push(key);
        } catch (error) {
          failure = error;
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_DELETIONS }, work));
    if (deleted.length > 0)
      await this.#database.query({
        // An upload that ended meanwhile has set `attempts` to 0: its object is deleted by a further call.
        text: 'DELETE FROM object_deletions WHERE key = ANY($1::text[]) AND attempts > 0',
        values: [deleted],
      });
    return { deleted: deleted.length, failure };
  }

  /** Looks for objects that no row names; null when a process has done it in the last hours. */
  async sweep(signal: AbortSignal, every: string = SWEEP_EVERY): Promise<SweptObjects | null> {
    const { rows } = await this.#database.query<{ installation: string; now: Date }>({
      text: `UPDATE object_store SET swept_at = now() WHERE swept_at <= now() - $1::interval
        RETURNING installation::text, now()`,
      values: [every],
    });
    const claimed = rows[0];
    if (claimed === undefined) return null;
    const before = new Date(claimed.now.getTime() - this.#orphanAfterMilliseconds);
    const swept = { objects: 0, orphans: 0, uploads: 0 };
    for (const kind of KINDS) {
      const prefix = `${claimed.installation}/${kind.place}/`;
      let next: string | null = null;
      do {
        signal.throwIfAborted();
        const page = await this.#objects.list(prefix, next);
        const old = page.objects.filter(({ key, modifiedAt }) => kind.key.test(key) && modifiedAt <= before);
        swept.objects += page.objects.length;
        swept.orphans += await this.#queueOrphans(
          kind,
          old.map(({ key }) => key),
        );
        next = page.next;
      } while (next !== null);
      swept.uploads += await this.#objects.discardUploads(prefix, before);
    }
    return swept;
  }

  async #queueOrphans({ isNamed }: Kind, keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const { rowCount } = await this.#database.query({
      text: `INSERT INTO object_deletions (key) SELECT key FROM unnest($1::text[]) AS given (key)
        WHERE NOT EXISTS (${isNamed}) ON CONFLICT DO NOTHING`,
      values: [keys],
    });
    return rowCount;
  }
}

/** Has an object deleted that no row will name, after an interval of PostgreSQL. */
export async function noteObjectDeletion(database: Queryable, key: string, after = '0 s'): Promise<void> {
  await database.query({
    text: `INSERT INTO object_deletions (key, due_at) VALUES ($1, now() + $2::interval)
      ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at, attempts = 0`,
    values: [key, after],
  });
}
