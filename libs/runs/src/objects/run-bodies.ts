import type { Queryable } from '@millrace/database';
import { IN_OBJECT, wholeText } from '../text-templates/whole-text';
import { ObjectStoreUnavailableError } from './object-store';
import type { ObjectStore } from './object-store';

/** Bytes of one request to the object store. */
const READ_BYTES = 4_194_304;

/** The columns of `runs` whose content can be in an object. */
export const bodyColumns = ['result', 'request'] as const;
export type BodyColumn = (typeof bodyColumns)[number];

export interface BodyReference {
  readonly key: string;
  readonly bytes: number;
}

/** Returns what a column contains whose content is in this object. */
export function referenceText({ key, bytes }: BodyReference): string {
  return `${IN_OBJECT}${key} ${bytes}`;
}

/** Returns the object with the content of a column; null for a content. */
export function referenceOf(text: string | null): BodyReference | null {
  if (text === null || !text.startsWith(IN_OBJECT)) return null;
  const [key = '', bytes] = text.slice(IN_OBJECT.length).split(' ');
  return { key, bytes: Number(bytes) };
}

export interface RunBodiesOptions {
  readonly database: Queryable;
  /** Null: objects cannot be read. */
  readonly objects: ObjectStore | null;
}

/** Reads requests and results of runs, which can be in the object store. Methods reject with ObjectStoreUnavailableError. */
export class RunBodies {
  readonly #database: Queryable;
  readonly #objects: ObjectStore | null;

  constructor({ database, objects }: RunBodiesOptions) {
    this.#database = database;
    this.#objects = objects;
  }

  /** Returns the text of a column, which was read as `found`; null when the run was deleted. */
  async whole(runId: string, column: BodyColumn, found: string | null): Promise<string | null> {
    const reference = referenceOf(found);
    if (reference === null) return found;
    const stored = await this.read(reference);
    if (stored !== null) return stored.startsWith('~') ? this.#decoded(runId, stored) : stored;
    // It was deleted, or moved to the database, meanwhile.
    const again = await this.#again(runId, column);
    if (again === found)
      throw new ObjectStoreUnavailableError(`The object with the ${column} of run ${runId} is missing.`);
    return this.whole(runId, column, again);
  }

  /** Returns what stood in the column; null when there is no such object. */
  async read({ key, bytes }: BodyReference): Promise<string | null> {
    if (this.#objects === null)
      throw new ObjectStoreUnavailableError(
        'A request or result is in the object store, but MILLRACE_OBJECT_STORE_URL is not set.',
      );
    const content = Buffer.allocUnsafeSlow(bytes);
    for (let from = 0; from < bytes;) {
      const part = await this.#objects.read(key, from, Math.min(READ_BYTES, bytes - from));
      if (part === null) return null;
      if (part.length === 0)
        throw new ObjectStoreUnavailableError(`The object ${key} is shorter than it was.`);
      from += part.copy(content, from);
    }
    return content.toString();
  }

  async #decoded(runId: string, stored: string): Promise<string | null> {
    const { rows } = await this.#database.query<{ text: string | null }>({
      text: 'SELECT whole_text($2, id, flow_id, session_id) AS text FROM runs WHERE id = $1',
      values: [runId, stored],
    });
    return rows[0]?.text ?? null;
  }

  async #again(runId: string, column: BodyColumn): Promise<string | null> {
    const { rows } = await this.#database.query<{ text: string | null }>({
      text: `SELECT ${wholeText(column)} AS text FROM runs WHERE id = $1`,
      values: [runId],
    });
    return rows[0]?.text ?? null;
  }
}
