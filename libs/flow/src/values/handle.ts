import { isHandle } from '@millrace/python-text';
import type { Data, Handle, PythonObject } from '@millrace/python-text';
import type { RunMoment } from '../run/run-moment';

/** A configured language model that one component passes to another; the components of the model family call it. */
export interface ModelHandle extends Handle {
  readonly kind: 'language-model';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A configured embedding model that one component passes to another. */
export interface EmbeddingsHandle extends Handle {
  readonly kind: 'embeddings';
  readonly provider: string;
  readonly model: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What a person can decide about a call of a tool. */
export type ToolApproval = 'approve' | 'edit' | 'reject' | 'respond';

/** A tool that a language model can call: a component of the flow, or a part of one. */
export interface ToolHandle extends Handle {
  readonly kind: 'tool';
  /** At most 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** An error is an answer of the tool, which is shown with its message, as those of components are. */
  readonly answersErrors?: true;
  /** The text for the model is the JSON of a value, which the message of the call has, too. */
  readonly answersJson?: true;
  /** The decisions that a person can take before a call; without any the tool is called unasked. */
  readonly approvals?: readonly ToolApproval[];
  /** Whether a call can wait for a person, as one of a flow that asks; absent: it cannot. */
  readonly mayAsk?: () => Promise<boolean>;
  /**
   * Resolves to the text for the model; rejects with an error that the caller passes to the model. `at` is the moment
   * of the call: it sees the messages that the run stored before.
   */
  call(callArguments: PythonObject, at?: RunMoment): Promise<string>;
}

/** A vector store that one component passes to another for searches. */
export interface RetrieverHandle extends Handle {
  readonly kind: 'retriever';
  /** Returns the items near the query, nearest first; an empty list for a blank query. */
  search(query: string): Promise<readonly Data[]>;
}

/** A value that only components of one family create and understand, such as a member of a crew. */
export interface PartHandle extends Handle {
  readonly kind: 'part';
  /** The name of the kind in error texts: "crew member", "chat memory". */
  readonly name: string;
  readonly content: object;
}

/** Returns true for a language model from an edge. */
export function isModelHandle(value: unknown): value is ModelHandle {
  return isHandle(value) && value.kind === 'language-model';
}

/** Returns true for an embedding model from an edge. */
export function isEmbeddingsHandle(value: unknown): value is EmbeddingsHandle {
  return isHandle(value) && value.kind === 'embeddings';
}

/** Returns true for a tool from an edge. */
export function isToolHandle(value: unknown): value is ToolHandle {
  return isHandle(value) && value.kind === 'tool';
}

/** Returns true for a vector store from an edge. */
export function isRetrieverHandle(value: unknown): value is RetrieverHandle {
  return isHandle(value) && value.kind === 'retriever';
}

/** Returns true for a part that components of one family pass to each other. */
export function isPartHandle(value: unknown): value is PartHandle {
  return isHandle(value) && value.kind === 'part';
}
