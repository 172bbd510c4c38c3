import type { Data } from './data';
import type { DataFrame } from './data-frame';
import type { Message } from './message';
import type { RunMoment } from '../run/run-moment';
import type { PythonFloat } from '../python/python-float';

/**
 * A value as a component sees it. Plain JavaScript stands for most of Python's values; what JavaScript
 * cannot tell apart has a class: a float that happens to be whole (`1.0`) is a {@link PythonFloat},
 * an integer beyond 2^53 a bigint. A number is an integer when `Number.isInteger`, else a float.
 */
export type PythonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PythonFloat
  | Message
  | Data
  | DataFrame
  | Handle
  | readonly PythonValue[]
  | PythonObject;

/** A Python dict with string keys, in insertion order. */
export interface PythonObject {
  readonly [key: string]: PythonValue;
}

/** A configured language model that one component hands to another; calling it is the model family's business. */
export interface ModelHandle {
  readonly kind: 'language-model';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A configured embedding model that one component hands to another. */
export interface EmbeddingsHandle {
  readonly kind: 'embeddings';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What a language model may call in the middle of its work: a component of the flow, or a part of one. */
export interface ToolHandle {
  readonly kind: 'tool';
  /** Letters, digits, `_` and `-`, at most 64 of them. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, which are an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Resolves to the text that the model reads; rejects with what went wrong, for the caller to tell the model. `at` is
   * when the tool is called: it sees the messages that the run has stored before.
   */
  call(callArguments: PythonObject, at?: RunMoment): Promise<string>;
}

/** A vector store that one component hands to another, to be searched. */
export interface RetrieverHandle {
  readonly kind: 'retriever';
  /** What is near the query, nearest first; nothing for a blank one. */
  search(query: string): Promise<readonly Data[]>;
}

/** Something that only components of one family make and understand, such as a member of a crew. */
export interface PartHandle {
  readonly kind: 'part';
  /** What it is, in the words of errors: "crew member", "chat memory". */
  readonly name: string;
  readonly content: object;
}

/** Something that can be used, not shown: it may hold keys, and never becomes part of a result. */
export type Handle = ModelHandle | EmbeddingsHandle | ToolHandle | RetrieverHandle | PartHandle;
