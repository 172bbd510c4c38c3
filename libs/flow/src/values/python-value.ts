import type { Data } from './data';
import type { DataFrame } from './data-frame';
import type { Message } from './message';
import type { RunMoment } from '../run/run-moment';
import type { PythonFloat } from '../python/python-float';

/**
 * A value in a component. Most of Python's values are plain JavaScript values; those that JavaScript cannot distinguish
 * have a class or type: a float with an integral value (`1.0`) is a {@link PythonFloat}, an integer beyond 2^53 a
 * bigint. A number is an integer when `Number.isInteger`, else a float.
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

/** A configured language model that one component passes to another; the components of the model family call it. */
export interface ModelHandle {
  readonly kind: 'language-model';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A configured embedding model that one component passes to another. */
export interface EmbeddingsHandle {
  readonly kind: 'embeddings';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A tool that a language model can call: a component of the flow, or a part of one. */
export interface ToolHandle {
  readonly kind: 'tool';
  /** At most 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Resolves to the text for the model; rejects with an error that the caller passes to the model. `at` is the moment
   * of the call: it sees the messages that the run stored before.
   */
  call(callArguments: PythonObject, at?: RunMoment): Promise<string>;
}

/** A vector store that one component passes to another for searches. */
export interface RetrieverHandle {
  readonly kind: 'retriever';
  /** Returns the items near the query, nearest first; an empty list for a blank query. */
  search(query: string): Promise<readonly Data[]>;
}

/** A value that only components of one family create and understand, such as a member of a crew. */
export interface PartHandle {
  readonly kind: 'part';
  /** The name of the kind in error texts: "crew member", "chat memory". */
  readonly name: string;
  readonly content: object;
}

/** An object that components use but that is never shown: it can contain keys, and never becomes part of a result. */
export type Handle = ModelHandle | EmbeddingsHandle | ToolHandle | RetrieverHandle | PartHandle;
