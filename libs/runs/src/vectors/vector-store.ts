import type { Database } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import { searchVectors } from './search-vectors';
import { VectorLimitError, vectorLimits } from './vector-limits';
import { VECTOR_COLUMNS, vectorRecord } from './vector-record';
import type { VectorRecord, VectorRecordMatch, VectorRecordSearch, VectorRow } from './vector-record';
import { getOrCreateCollection, requireDimensions, upsertRecords } from './write-vectors';

/** An embedding model, by its provider and its name there. */
interface VectorModel {
  readonly provider: string;
  readonly model: string;
}

interface Collection {
  readonly id: string;
  /** Null before the first write. */
  readonly dimensions: number | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
}

/**
 * Stores texts with their embedding vectors, in named collections of a user. A search compares the query vector with
 * every vector of a collection: it is exact, without an index. Limits: {@link vectorLimits}.
 */
export class VectorStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /**
   * Writes records in one transaction, and replaces those with the same ids. Creates the collection if it does not
   * exist. Throws VectorLimitError.
   */
  async write(userId: string, collection: string, records: readonly VectorRecord[]): Promise<void> {
    const [first] = records;
    if (first === undefined) return;
    requireStorableName(collection, 'The name of a collection');
    for (const record of records) {
      requireWithinLimits(record);
      requireDimensions(collection, first.vector.length, record.vector.length);
    }
    await this.#database.transaction(async (connection) => {
      const dimensions = first.vector.length;
      const id = await getOrCreateCollection(connection, userId, { name: collection, dimensions });
      await upsertRecords(connection, id, records);
    });
  }

  /**
   * Returns the records whose vectors are nearest to the query vector; none if the collection does not exist. Throws
   * VectorLimitError for a query vector with another number of dimensions than the collection.
   */
  async search(
    userId: string,
    collection: string,
    search: VectorRecordSearch,
  ): Promise<readonly VectorRecordMatch[]> {
    const found = await this.#findCollection(userId, collection);
    if (found === null || found.dimensions === null) return [];
    requireDimensions(collection, found.dimensions, search.vector.length);
    return searchVectors(this.#database, found.id, search);
  }

  /** Lists at most `limit` records, in the order in which their ids were first written. */
  async list(userId: string, collection: string, limit: number): Promise<readonly VectorRecord[]> {
    const found = await this.#findCollection(userId, collection);
    if (found === null) return [];
    const { rows } = await this.#database.query<VectorRow>({
      text: `SELECT ${VECTOR_COLUMNS} FROM vector_documents WHERE collection_id = $1 ORDER BY position LIMIT $2`,
      values: [found.id, limit],
    });
    return rows.map(vectorRecord);
  }

  /** Returns the embedding model that a user chose for a collection; null if none was chosen. */
  async model(userId: string, collection: string): Promise<VectorModel | null> {
    const found = await this.#findCollection(userId, collection);
    const { provider, model } = found?.settings ?? {};
    return typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null;
  }

  /** Deletes a collection with its records. Resolves to the number of these; 0 if the collection does not exist. */
  async deleteCollection(userId: string, collection: string): Promise<number> {
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

  // The index on the names of collections contains md5(name), because a name can be longer than an index entry.
  async #findCollection(userId: string, name: string): Promise<Collection | null> {
    if (unstorableCharacter(name) !== null) return null;
    const { rows } = await this.#database.query<Collection>({
      text: `SELECT id, dimensions, settings FROM vector_collections
        WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
      values: [userId, name],
    });
    return rows[0] ?? null;
  }
}

// The messages call a record a document, as components do.
function requireWithinLimits({ id, text, metadata, vector }: VectorRecord): void {
  requireStorableName(id, 'The id of a document');
  requireAtMost(text.length, vectorLimits.textCharacters, 'characters', 'The text of a document');
  requireAtMost(
    Buffer.byteLength(metadata),
    vectorLimits.metadataBytes,
    'bytes',
    'The metadata of a document',
  );
  requireAtMost(vector.length, vectorLimits.dimensions, 'dimensions', 'A vector');
  if (vector.length === 0) throw new VectorLimitError('A vector must not be empty.');
}

function requireStorableName(name: string, subject: string): void {
  requireAtMost(name.length, vectorLimits.nameCharacters, 'characters', subject);
  if (unstorableCharacter(name) !== null)
    throw new VectorLimitError(`${subject} contains a character that cannot be stored.`);
}

function requireAtMost(size: number, maximum: number, unit: string, subject: string): void {
  if (size > maximum)
    throw new VectorLimitError(`${subject} can have at most ${maximum} ${unit}, not ${size}.`);
}
