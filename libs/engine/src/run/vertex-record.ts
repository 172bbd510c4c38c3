import type { PythonValue } from '@millrace/python-text';

/** One line of an output's logs, in the shape for clients. */
export interface VertexLog {
  readonly name: string;
  readonly message: string;
  readonly type: 'text';
}

/** What a vertex set as its status: for all outputs, and in place of that for some. */
export interface ShownStatus {
  readonly all: PythonValue;
  readonly byOutput: ReadonlyMap<string, PythonValue> | null;
}

/** The result of a vertex in one run. */
export interface VertexRecord {
  /** The requested outputs, by name. */
  readonly outputs: ReadonlyMap<string, PythonValue>;
  readonly stopped: ReadonlySet<string>;
  /** The status that the vertex set, or its message if it set none; null without either. */
  readonly status: PythonValue;
  /** The statuses that the vertex set for single outputs, or for all; see `shownStatuses`. */
  readonly shown?: ShownStatus;
  /** The name that a chat vertex gave the sender of its message, before it was stored; undefined when it stored none. */
  readonly sentName?: string | null | undefined;
  readonly logs: ReadonlyMap<string, readonly VertexLog[]>;
  /** True when a frozen vertex reused a cached result. */
  readonly reused: boolean;
}

/** The result of each vertex of the plan, by index; undefined for a vertex that did not run. */
export type RunRecords = readonly (VertexRecord | undefined)[];
