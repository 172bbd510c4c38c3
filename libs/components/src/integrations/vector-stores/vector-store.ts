import type { PythonObject } from '@millrace/python-text';
import type { Vector } from '../models/embedding-protocol';

/** A text to be added to a store. */
export interface StoredText {
  /** A UUID, the same for the same text of the same vertex and run, so that a repeated attempt adds no duplicates. */
  readonly id: string;
  readonly text: string;
  /** JSON values only. */
  readonly metadata: PythonObject;
  /** Null for a store that makes its vectors itself. */
  readonly vector: Vector | null;
}

/** A text to be stored, without its vector. */
export type NewText = Omit<StoredText, 'vector'>;

export interface StoreSearch {
  readonly text: string;
  /** Null for a store that makes its vectors itself. */
  readonly vector: Vector | null;
  /** The maximum number of results, nearest first. */
  readonly limit: number;
  /** Whether the results need vectors. */
  readonly withVectors: boolean;
}

export interface FoundText {
  readonly text: string;
  readonly metadata: PythonObject;
  /** 0 to 1, larger is nearer; null when the store does not report it. */
  readonly similarity: number | null;
  /** Null unless requested. */
  readonly vector: Vector | null;
}

/** An open collection of a vector store. Failures are ComponentErrors. */
export interface VectorStore {
  /** True when the store makes the vectors of texts and queries itself. */
  readonly makesVectors: boolean;
  /** Returns the texts that must be added; without this method all of them. */
  selectNew?(texts: readonly NewText[]): Promise<readonly NewText[]>;
  /** Adds at least one text. */
  add(texts: readonly StoredText[]): Promise<void>;
  search(search: StoreSearch): Promise<readonly FoundText[]>;
}
