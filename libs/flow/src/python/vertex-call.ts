import type { PythonValue } from '@millrace/python-text';
import type { JsonObject } from '../document/json-object';
import type { PythonSource } from './python-source';

/** A vertex to compute in Python. */
export interface VertexCall {
  readonly source: PythonSource;
  readonly id: string;
  readonly type: string;
  readonly displayName: string;
  readonly isInput: boolean;
  readonly isOutput: boolean;
  /** The outputs as the node has them; empty for those of the class. */
  readonly outputs: readonly JsonObject[];
  /** Resolved values of the fields by name. */
  readonly fields: Readonly<Record<string, PythonValue>>;
  readonly wanted: readonly string[];
  /** The vertex at the other end of the first edge into each connected field. */
  readonly sources: Readonly<Record<string, VertexSource>>;
  /** The types of special vertices that this vertex has an edge to, such as `ChatOutput`. */
  readonly feeds: readonly string[];
}

export interface VertexSource {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly model: string | null;
}

export interface VertexOutcome {
  readonly outputs: Readonly<Record<string, PythonValue>>;
  readonly stopped: readonly string[];
  /** The status that the component set; null without one. */
  readonly status: PythonValue;
  readonly logs: readonly VertexLogLine[];
  /** What the component printed. */
  readonly printed: string;
}

export interface VertexLogLine {
  readonly output: string;
  readonly name: string;
  readonly message: string;
}
