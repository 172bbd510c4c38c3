import type { EmbeddingsHandle, ModelHandle, PartHandle, RetrieverHandle, ToolHandle } from '@millrace/flow';
import type { PythonObject, TextStream } from '@millrace/python-text';

/** An object of Python that a frame describes. */
export interface PythonObjectDescription {
  readonly kind: 'tool' | 'model' | 'embeddings' | 'retriever' | 'history' | 'object';
  /** Its number in its process. */
  readonly reference: number;
  readonly description: PythonObject;
}

/** The objects that cross the border during one lease. */
export interface LiveObjects {
  /** Returns the number of an object of this side; the same one each time. */
  numberOf(handle: HostObject): number;
  /** Returns the object with this number. Throws a ComponentError for an unknown one. */
  host(handle: number): HostObject;
  /** Returns the object of this side that stands for an object of Python. */
  wrap(description: PythonObjectDescription): HostObject;
  /** Returns the stream of a text that Python produces. */
  textStream(reference: number): TextStream;
  /**
   * Returns the number of the object of Python that a value stands for; null for an object of this side. Throws a
   * ComponentError for an object of a process that has ended.
   */
  referenceOf(value: HostObject): number | null;
}

export type HostObject = ModelHandle | EmbeddingsHandle | ToolHandle | RetrieverHandle | PartHandle;
