import { randomUUID } from 'node:crypto';
import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { VectorLimitError, vectorLimits } from './vector-limits';
import type { VectorRecord } from './vector-record';
import { encodeVector } from './vector-record';

/** Maximum number of records in one statement. */
const BATCH = 200;

/**
 * Returns the id of the collection of this name, which it creates if necessary. Locks the user's row, so that concurrent
 * writers of the user wait. Throws VectorLimitError.
 */
export async function getOrCreateCollection(
  connection: Queryable,
  userId: string,
  { name, dimensions }: { readonly name: string; readonly dimensions: number },
): Promise<string> {
  await connection.query({ text: 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', values: [userId] });
  const { rows } = await connection.query<{ id: string; dimensions: number | null }>({
    text: `SELECT id, dimensions FROM vector_collections
      WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2`,
    values: [userId, name],
  });
  const [found] = rows;
  if (found === undefined) return insertCollection(connection, userId, { name, dimensions, settings: null });
  if (found.dimensions === null)
    await connection.query({
      text: 'UPDATE vector_collections SET dimensions = $2 WHERE id = $1',
      values: [found.id, dimensions],
    });
  else requireDimensions(name, found.dimensions, dimensions);
  return found.id;
}

/** Throws VectorLimitError when a vector's number of dimensions differs from the collection's. */
export function requireDimensions(name: string, expected: number, actual: number): void {
  if (expected === actual) return;
  throw new VectorLimitError(
    `The collection "${name}" holds vectors of ${expected} dimensions; one of ${actual} does not fit. ` +
      'Use the embedding model that the collection was created with.',
  );
}

/** A collection to create: without dimensions until its first vector, and without settings unless a user chose some. */
interface NewCollection {
  readonly name: string;
  readonly dimensions: number | null;
  /** A JSON object. */
  readonly settings: string | null;
}

/** Creates a collection; returns its id. Throws VectorLimitError. */
export async function insertCollection(
  connection: Queryable,
  userId: string,
  { name, dimensions, settings }: NewCollection,
): Promise<string> {
  const id = randomUUID();
  const { rowCount } = await connection.query({
    text: `INSERT INTO vector_collections (id, user_id, name, dimensions, settings)
      SELECT $1, $2, $3, $4, $5::json WHERE (SELECT count(*) FROM vector_collections WHERE user_id = $2) < $6`,
    values: [id, userId, name, dimensions, settings, vectorLimits.collections],
  });
  if (rowCount > 0) return id;
  throw new VectorLimitError(`A user can have at most ${vectorLimits.collections} vector collections.`);
}

/** Writes records to a collection and replaces those with the same ids. Throws VectorLimitError. */
export async function upsertRecords(
  connection: Queryable,
  collectionId: string,
  records: readonly VectorRecord[],
): Promise<void> {
  // A statement can write a row only once: of records with one id the last one counts.
  const distinct = [...new Map(records.map((record) => [record.id, record])).values()];
  for (let start = 0; start < distinct.length; start += BATCH) {
    const batch = distinct.slice(start, start + BATCH);
    await connection.query({
      text: `INSERT INTO vector_documents (collection_id, id, content, metadata, vector)
        SELECT $1, given.id, given.content, given.metadata::json, decode(given.vector, 'base64')
        FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS given (id, content, metadata, vector)
        ON CONFLICT (collection_id, id) DO UPDATE
        SET content = excluded.content, metadata = excluded.metadata, vector = excluded.vector`,
      values: [
        collectionId,
        batch.map(({ id }) => storableText(id)),
        batch.map(({ text }) => storableText(text)),
        batch.map(({ metadata }) => metadata),
        batch.map(({ vector }) => encodeVector(vector).toString('base64')),
      ],
    });
  }
  const { rows } = await connection.query<{ count: number }>({
    text: 'SELECT count(*) AS count FROM vector_documents WHERE collection_id = $1',
    values: [collectionId],
  });
  if ((rows[0]?.count ?? 0) <= vectorLimits.documents) return;
  throw new VectorLimitError(`A vector collection can contain at most ${vectorLimits.documents} documents.`);
}
