import type { PythonObject } from '../../values/python-value';

/** A text with the vector that stands for it. */
export interface VectorDocument {
  /** Within its collection. */
  readonly id: string;
  readonly text: string;
  readonly metadata: PythonObject;
  readonly vector: readonly number[];
}

export interface VectorSearch {
  readonly vector: readonly number[];
  /** At most this many, nearest first. */
  readonly limit: number;
  /** Only documents whose metadata have exactly these values. */
  readonly where?: PythonObject;
}

export interface VectorMatch {
  readonly document: VectorDocument;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

/**
 * Vectors kept in the installation's own database, by user and collection, and searched exactly. For flows that used a
 * store on the disk of their machine. Bounded; what goes beyond a bound is a ComponentError that names it.
 */
export interface LocalVectors {
  /** Adds documents, in place of those with the same ids. */
  write(collection: string, documents: readonly VectorDocument[]): Promise<void>;
  search(collection: string, search: VectorSearch): Promise<readonly VectorMatch[]>;
  /** In the order they were written. */
  list(collection: string, limit: number): Promise<readonly VectorDocument[]>;
  /** How many there were. */
  clear(collection: string): Promise<number>;
}
