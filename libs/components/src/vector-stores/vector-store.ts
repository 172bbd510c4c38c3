import type { PythonObject } from '@millrace/flow';
import type { Vector } from '../embeddings/embed-texts';

/** A text on its way into a store. */
export interface StoredText {
  /** A UUID: the same for the same text of the same vertex and run, so that an attempt made again adds nothing twice. */
  readonly id: string;
  readonly text: string;
  /** JSON values only. */
  readonly metadata: PythonObject;
  /** Null for a store that makes its vectors itself. */
  readonly vector: Vector | null;
}

/** A text to be stored, its vector still to be made. */
export type NewText = Omit<StoredText, 'vector'>;

export interface StoreSearch {
  readonly text: string;
  /** Null for a store that makes its vectors itself. */
  readonly vector: Vector | null;
  /** At most this many, nearest first. */
  readonly limit: number;
  /** Whether what is found needs its vectors. */
  readonly withVectors: boolean;
}

export interface FoundText {
  readonly text: string;
  readonly metadata: PythonObject;
  /** 0 to 1, the nearer the larger; null where the store does not say. */
  readonly similarity: number | null;
  /** Null unless asked for. */
  readonly vector: Vector | null;
}

/** A collection of some vector store, ready to be used. What fails is a ComponentError. */
export interface VectorStore {
  /** True when texts and searches are to come without vectors. */
  readonly embedsItself: boolean;
  /** Which of new texts are to be added; all of them where a store does not say. */
  fresh?(texts: readonly NewText[]): Promise<readonly NewText[]>;
  /** Called with at least one text. */
  add(texts: readonly StoredText[]): Promise<void>;
  search(search: StoreSearch): Promise<readonly FoundText[]>;
}
