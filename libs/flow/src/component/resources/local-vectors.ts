import type { PythonObject } from '@millrace/python-text';

/** A text with its embedding vector. */
export interface VectorDocument {
  /** Unique within its collection. */
  readonly id: string;
  readonly text: string;
  readonly metadata: PythonObject;
  readonly vector: readonly number[];
}

export interface VectorSearch {
  readonly vector: readonly number[];
  /** Maximum number of matches, nearest first. */
  readonly limit: number;
  /** Matches only documents whose metadata have exactly these values. */
  readonly where?: PythonObject;
}

export interface VectorMatch {
  readonly document: VectorDocument;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

/**
 * Vectors stored in the installation's database, by user and collection, with exact search. For flows that used a store
 * on a local disk. Bounded: exceeding a bound throws a ComponentError that names it.
 */
export interface LocalVectors {
  /** Adds documents; replaces those with the same ids. */
  write(collection: string, documents: readonly VectorDocument[]): Promise<void>;
  search(collection: string, search: VectorSearch): Promise<readonly VectorMatch[]>;
  /** Returns documents in the order in which they were written. */
  list(collection: string, limit: number): Promise<readonly VectorDocument[]>;
  /** Returns the embedding model that the user chose for a collection; null if none was chosen. */
  model(collection: string): Promise<{ readonly provider: string; readonly model: string } | null>;
  /** Deletes all documents of a collection; returns their number. */
  clear(collection: string): Promise<number>;
}
