import type { PythonValue } from '@millrace/python-text';

/** One line of an output's logs, in the shape for clients. */
export interface VertexLog {
  readonly name: string;
  readonly message: string;
  readonly type: 'text';
}

/** The result of a vertex in one run. */
export interface VertexRecord {
  /** The requested outputs, by name. */
  readonly outputs: ReadonlyMap<string, PythonValue>;
  readonly stopped: ReadonlySet<string>;
  /** The status that the vertex set; null if it set none. */
  readonly status: PythonValue;
  readonly logs: ReadonlyMap<string, readonly VertexLog[]>;
  /** True when a frozen vertex reused a cached result. */
  readonly reused: boolean;
}

/** The result of each vertex of the plan, by index; undefined for a vertex that did not run. */
export type RunRecords = readonly (VertexRecord | undefined)[];
