import type { PythonValue } from '@millrace/flow';

/** One line of an output's logs, as clients read it. */
export interface VertexLog {
  readonly name: string;
  readonly message: string;
  readonly type: 'text';
}

/** What a vertex gave in one run. */
export interface VertexRecord {
  /** The outputs that were asked for, by name. */
  readonly outputs: ReadonlyMap<string, PythonValue>;
  readonly stopped: ReadonlySet<string>;
  /** What the vertex shows of itself; null when it left that alone. */
  readonly status: PythonValue;
  readonly logs: ReadonlyMap<string, readonly VertexLog[]>;
  /** True when a frozen vertex gave what it had given before. */
  readonly reused: boolean;
}

/** What each vertex of the plan gave, by index; undefined where a vertex did not run. */
export type RunRecords = readonly (VertexRecord | undefined)[];
