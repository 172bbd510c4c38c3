import type { Queryable } from '@millrace/database';
import { noteObjectDeletion } from '../objects/object-deletions';
import { ObjectStoreUnavailableError } from '../objects/object-store';
import type { ObjectStore } from '../objects/object-store';
import { countEarlierServices } from '../text-templates/earlier-services';
import { CHUNK_BYTES, toChunks } from './file-chunks';

/** Bytes of one request to the object store: a multiple of a chunk, since a file can move to the database while it is read. */
const READ_BYTES = 4 * CHUNK_BYTES;

export interface WrittenContent {
  readonly sizeBytes: number;
  /** Null: in the database. */
  readonly objectKey: string | null;
}

export interface FileContentsOptions {
  readonly database: Queryable;
  /** Null: all contents are in the database. */
  readonly objects: ObjectStore | null;
}

/**
 * The bytes of files, in rows of the database or, for those above 256 KiB, in the object store, if there is one. The row of a file
 * names its object before the object exists, so that an object that no row names is one whose row was deleted.
 */
export class FileContents {
  readonly #database: Queryable;
  readonly #objects: ObjectStore | null;

  constructor({ database, objects }: FileContentsOptions) {
    this.#database = database;
    this.#objects = objects;
  }

  /** Stores the bytes of an incomplete file while they arrive. Stores nothing when the file has been deleted. */
  async write(id: string, content: AsyncIterable<Buffer>): Promise<WrittenContent> {
    const { isLarge, all } = await examined(content);
    // A service of an earlier release reads only the database.
    const objects =
      isLarge && this.#objects !== null && (await countEarlierServices(this.#database)) === 0
        ? this.#objects
        : null;
    const objectKey = objects === null ? null : await this.#nameObject(id);
    if (objects === null || objectKey === null)
      return { sizeBytes: await this.#writeChunks(id, toChunks(all)), objectKey: null };
    try {
      return { sizeBytes: await objects.upload(objectKey, all), objectKey };
    } catch (error) {
      await this.forget(objectKey).catch(() => undefined);
      throw error;
    }
  }

  /** Deletes an object whose file was deleted before it existed. */
  async forget(objectKey: string): Promise<void> {
    await noteObjectDeletion(this.#database, objectKey);
  }

  /**
   * Returns bytes from a position that this method has reached before, at least one; null when the file was deleted. Rejects with
   * ObjectStoreUnavailableError.
   */
  async read(id: string, from: number): Promise<Buffer | null> {
    const found = await this.#find(id, from);
    if (found?.objectKey == null) return found?.content ?? null;
    const part = await this.#readObject(found.objectKey, from);
    if (part !== null) return part;
    // It was deleted, or moved to the database, meanwhile.
    const again = await this.#find(id, from);
    if (again?.objectKey != null)
      throw new ObjectStoreUnavailableError(`The object of file ${id} is missing.`);
    return again?.content ?? null;
  }

  /** Moves the content of a file to the database, while it can be read. False when the file was deleted. */
  async moveToDatabase(id: string): Promise<boolean> {
    const { rows } = await this.#database.query<{ sizeBytes: number; objectKey: string | null }>({
      text: 'SELECT size_bytes::float8 AS "sizeBytes", object_key AS "objectKey" FROM files WHERE id = $1',
      values: [id],
    });
    const file = rows[0];
    if (file?.objectKey == null) return file !== undefined;
    for (let from = 0; from < file.sizeBytes; from += READ_BYTES) {
      const part = await this.#readObject(file.objectKey, from);
      if (part === null) throw new ObjectStoreUnavailableError(`The object of file ${id} is missing.`);
      await this.#writeChunks(id, toChunks(once(part)), from / CHUNK_BYTES);
    }
    const { rowCount } = await this.#database.query({
      text: 'UPDATE files SET object_key = NULL WHERE id = $1 AND object_key = $2',
      values: [id, file.objectKey],
    });
    return rowCount > 0;
  }

  async #readObject(objectKey: string, from: number): Promise<Buffer | null> {
    if (this.#objects === null)
      throw new ObjectStoreUnavailableError(
        'A file is in the object store, but MILLRACE_OBJECT_STORE_URL is not set.',
      );
    return this.#objects.read(objectKey, from, READ_BYTES);
  }

  async #find(id: string, from: number) {
    const { rows } = await this.#database.query<{ objectKey: string | null; content: Buffer | null }>({
      text: `SELECT object_key AS "objectKey", CASE WHEN object_key IS NULL THEN content END AS content
        FROM files LEFT JOIN file_chunks ON file_id = id AND position = $2 WHERE id = $1`,
      values: [id, from / CHUNK_BYTES],
    });
    return rows[0];
  }

  /** Null when the file has been deleted. */
  async #nameObject(id: string): Promise<string | null> {
    const named = await this.#tryToName(id);
    if (named !== null) return named;
    // The first object of the installation gives it its id.
    await this.#database.query({ text: 'INSERT INTO object_store DEFAULT VALUES ON CONFLICT DO NOTHING' });
    return this.#tryToName(id);
  }

  async #tryToName(id: string): Promise<string | null> {
    const { rows } = await this.#database.query<{ objectKey: string }>({
      text: `UPDATE files SET object_key = object_store.installation || '/files/' || id FROM object_store
        WHERE id = $1 RETURNING object_key AS "objectKey"`,
      values: [id],
    });
    return rows[0]?.objectKey ?? null;
  }

  async #writeChunks(id: string, chunks: AsyncIterable<Buffer>, firstPosition = 0): Promise<number> {
    let sizeBytes = 0;
    let position = firstPosition;
    for await (const chunk of chunks) {
      await this.#database.query({
        text: `INSERT INTO file_chunks (file_id, position, content) SELECT id, $2, $3 FROM files WHERE id = $1
          ON CONFLICT (file_id, position) DO UPDATE SET content = excluded.content`,
        values: [id, position, chunk],
      });
      position += 1;
      sizeBytes += chunk.length;
    }
    return sizeBytes;
  }
}

/** Reads the beginning of a content; `all` has it, too. */
async function examined(content: AsyncIterable<Buffer>) {
  const source = content[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  let bytes = 0;
  while (bytes <= CHUNK_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    head.push(next.value);
    bytes += next.value.length;
  }
  const all = async function* () {
    for (let part = head.shift(); part !== undefined; part = head.shift()) yield part;
    yield* { [Symbol.asyncIterator]: () => source };
  };
  return { isLarge: bytes > CHUNK_BYTES, all: all() };
}

async function* once(part: Buffer): AsyncGenerator<Buffer> {
  yield part;
}
