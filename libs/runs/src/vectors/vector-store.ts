import type { Database } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import { searchVectors } from './search-vectors';
import { VectorBoundError, vectorBounds } from './vector-bounds';
import { VECTOR_COLUMNS, vectorRecord } from './vector-record';
import type { VectorRecord, VectorRecordMatch, VectorRecordSearch, VectorRow } from './vector-record';
import { collectionForWriting, insertVectors, requireDimensions } from './write-vectors';

/** Stores texts and their vectors by user and collection; searches exactly. Limits: {@link vectorBounds}. */
export class VectorStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Writes records and replaces those with the same ids: all or none. Throws VectorBoundError. */
  async write(userId: string, collection: string, records: readonly VectorRecord[]): Promise<void> {
    const [first] = records;
    if (first === undefined) return;
    checkName(collection, 'The name of a collection');
    for (const record of records) {
      checkRecord(record);
      requireDimensions(collection, first.vector.length, record.vector.length);
    }
    await this.#database.transaction(async (connection) => {
      const dimensions = first.vector.length;
      const id = await collectionForWriting(connection, userId, { name: collection, dimensions });
      await insertVectors(connection, id, records);
    });
  }

  /** Returns no match for an unknown collection. Throws VectorBoundError for a vector of another size. */
  async search(
    userId: string,
    collection: string,
    search: VectorRecordSearch,
  ): Promise<readonly VectorRecordMatch[]> {
    const found = await this.#find(userId, collection);
    if (found === null) return [];
    requireDimensions(collection, found.dimensions, search.vector.length);
    return searchVectors(this.#database, found.id, search);
  }

  /** Lists at most `limit` records in the order in which they were written. */
  async list(userId: string, collection: string, limit: number): Promise<readonly VectorRecord[]> {
    const found = await this.#find(userId, collection);
    if (found === null) return [];
    const { rows } = await this.#database.query<VectorRow>({
      text: `SELECT ${VECTOR_COLUMNS} FROM vector_documents WHERE collection_id = $1 ORDER BY position LIMIT $2`,
      values: [found.id, limit],
    });
    return rows.map(vectorRecord);
  }

  /** Deletes a collection; resolves to the number of its records. */
  async clear(userId: string, collection: string): Promise<number> {
    return this.#database.transaction(async (connection) => {
      const { rows } = await connection.query<{ count: number }>({
        text: `SELECT count(*) AS count FROM vector_documents WHERE collection_id IN (
            SELECT id FROM vector_collections WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2)`,
        values: [userId, collection],
      });
      await connection.query({
        text: 'DELETE FROM vector_collections WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2',
        values: [userId, collection],
      });
      return rows[0]?.count ?? 0;
    });
  }

  async #find(userId: string, name: string): Promise<{ id: string; dimensions: number } | null> {
    if (unstorableCharacter(name) !== null) return null;
    const { rows } = await this.#database.query<{ id: string; dimensions: number }>({
      text: `SELECT id, dimensions FROM vector_collections
        WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
      values: [userId, name],
    });
    return rows[0] ?? null;
  }
}

function checkRecord({ id, text, metadata, vector }: VectorRecord): void {
  checkName(id, 'The id of a document');
  requireAtMost(text.length, vectorBounds.textCharacters, 'characters', 'The text of a document');
  requireAtMost(
    Buffer.byteLength(metadata),
    vectorBounds.metadataBytes,
    'bytes',
    'The metadata of a document',
  );
  requireAtMost(vector.length, vectorBounds.dimensions, 'dimensions', 'A vector');
  if (vector.length === 0) throw new VectorBoundError('A vector must not be empty.');
}

function checkName(name: string, what: string): void {
  requireAtMost(name.length, vectorBounds.nameCharacters, 'characters', what);
  if (unstorableCharacter(name) !== null)
    throw new VectorBoundError(`${what} contains a character that cannot be stored.`);
}

function requireAtMost(size: number, maximum: number, unit: string, what: string): void {
  if (size > maximum) throw new VectorBoundError(`${what} can have at most ${maximum} ${unit}, not ${size}.`);
}
