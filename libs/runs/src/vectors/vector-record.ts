/** A text with the vector that stands for it. */
export interface VectorRecord {
  /** Within its collection. */
  readonly id: string;
  readonly text: string;
  /** An object as JSON, kept as it is written. */
  readonly metadata: string;
  readonly vector: Float32Array;
}

export interface VectorRecordMatch {
  readonly record: VectorRecord;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

export interface VectorRecordSearch {
  readonly vector: Float32Array;
  /** At most this many, nearest first. */
  readonly limit: number;
  /** An object as JSON: only records whose metadata have exactly these members. */
  readonly where: string;
  readonly signal: AbortSignal;
}

/** A row of vector_documents. */
export interface VectorRow {
  readonly position: number;
  readonly id: string;
  readonly text: string;
  readonly metadata: string;
  readonly vector: Buffer;
}

/** The columns of a VectorRow. */
export const VECTOR_COLUMNS = `position, id, content AS text, metadata::text AS metadata, vector`;

export function vectorRecord({ id, text, metadata, vector }: VectorRow): VectorRecord {
  return { id, text, metadata, vector: decodeVector(vector) };
}

/** A vector as it is stored: four bytes a number, little-endian. */
export function encodeVector(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function decodeVector(bytes: Buffer): Float32Array {
  // A view would have to begin at a multiple of four bytes, which a buffer does not.
  const copy = new Uint8Array(bytes);
  return new Float32Array(copy.buffer, 0, copy.length / Float32Array.BYTES_PER_ELEMENT);
}
