/** A text with its embedding vector. */
export interface VectorRecord {
  /** Unique within the collection. */
  readonly id: string;
  readonly text: string;
  /** A JSON object, stored as it is written. */
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
  /** Maximum number of matches, nearest first. */
  readonly limit: number;
  /** A JSON object: only records whose metadata have all these members with equal values match. */
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

/** Encodes a vector for storage: four bytes per number, little-endian. */
export function encodeVector(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function decodeVector(bytes: Buffer): Float32Array {
  // A Float32Array view requires an offset that is a multiple of four, which a Buffer does not guarantee.
  const copy = new Uint8Array(bytes);
  return new Float32Array(copy.buffer, 0, copy.length / Float32Array.BYTES_PER_ELEMENT);
}
