import type { Queryable } from '@millrace/database';
import { decodeVector, VECTOR_COLUMNS, vectorRecord } from './vector-record';
import type { VectorRecordMatch, VectorRecordSearch, VectorRow } from './vector-record';

interface Candidate {
  readonly position: number;
  readonly similarity: number;
}

/** Vectors in memory at a time: few, because reading and comparing them blocks the event loop. */
const BATCH = 100;

/** Returns the nearest records of a collection. Compares every vector, one batch in memory at a time. */
export async function searchVectors(
  database: Queryable,
  collectionId: string,
  search: VectorRecordSearch,
): Promise<readonly VectorRecordMatch[]> {
  const nearest = await nearestPositions(database, collectionId, search);
  const { rows } = await database.query<VectorRow>({
    text: `SELECT ${VECTOR_COLUMNS} FROM vector_documents WHERE collection_id = $1 AND position = ANY($2)`,
    values: [collectionId, nearest.map(({ position }) => position)],
  });
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return nearest.flatMap(({ position, similarity }) => {
    const row = byPosition.get(position);
    return row === undefined ? [] : [{ record: vectorRecord(row), similarity }];
  });
}

async function nearestPositions(
  database: Queryable,
  collectionId: string,
  { vector, limit, where, signal }: VectorRecordSearch,
): Promise<readonly Candidate[]> {
  let nearest: Candidate[] = [];
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const { rows } = await database.query<{ position: number; vector: Buffer }>({
      text: `SELECT position, vector FROM vector_documents
        WHERE collection_id = $1 AND position > $2 AND NOT EXISTS (
          SELECT FROM jsonb_each($3::jsonb) AS wanted
          WHERE (readable_json(metadata::text) -> wanted.key) IS DISTINCT FROM wanted.value)
        ORDER BY position LIMIT ${BATCH}`,
      values: [collectionId, after, where],
    });
    const candidates = rows.map((row) => ({
      position: row.position,
      similarity: cosine(vector, decodeVector(row.vector)),
    }));
    nearest = [...nearest, ...candidates]
      .sort((a, b) => b.similarity - a.similarity || a.position - b.position)
      .slice(0, limit);
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return nearest;
    after = last.position;
  }
}

/** Cosine similarity; 0 when a vector has length 0. */
function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let index = 0; index < a.length; index += 1) {
    const x = a[index] ?? 0;
    const y = b[index] ?? 0;
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  const length = Math.sqrt(squaresOfA) * Math.sqrt(squaresOfB);
  return length === 0 ? 0 : product / length;
}
