import type { RunStatus } from '../run-record/run-record';
import type { ModelUsage, RunUsage } from '../run-record/run-usage';

/** Values by the name of the input or output, as JSON values; long ones are shortened. */
export type TracedValues = Readonly<Record<string, unknown>>;

/** What one vertex did in an attempt: the sum of all its executions, and the values of the last one. */
export interface VertexTrace {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** The flow that contains the vertex, if it is not the flow of the run. */
  readonly flowId?: string;
  /** `unfinished` when the attempt ended first; `running` only while the attempt goes on. */
  readonly state: 'succeeded' | 'failed' | 'unfinished' | 'running';
  readonly executions: number;
  /** The start of the first execution, in milliseconds after the start of the attempt. */
  readonly start: number;
  /** The end of the last execution, likewise. */
  readonly end: number;
  /** The duration of all executions together, in milliseconds. */
  readonly milliseconds: number;
  /** The duration of the longest execution. */
  readonly longest: number;
  /** Approximate sizes of the values of the last execution as JSON; null above a limit. */
  readonly inputBytes: number | null;
  readonly outputBytes: number | null;
  readonly models?: readonly ModelUsage[];
  readonly toolCalls?: number;
  readonly error?: string;
  readonly inputs?: TracedValues;
  readonly outputs?: TracedValues;
}

/** What the vertices of a run did: those of its last attempt, or of the last one that failed. */
export interface RunTrace {
  readonly version: 1;
  readonly attempt: number;
  /** Why the trace is kept; `running` for what an attempt has done so far, which is not kept. */
  readonly reason: 'failed' | 'sampled' | 'running';
  /** When the attempt started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly vertices: readonly VertexTrace[];
  /** Executions of further vertices, which are not listed because the trace has as many vertices as it can. */
  readonly omitted: number;
}

/** A trace and the run that it belongs to. */
export interface StoredTrace {
  readonly runId: string;
  readonly flowId: string;
  readonly flowName: string;
  readonly sessionId: string;
  /** Not an end while a failed attempt is retried. */
  readonly status: RunStatus;
  readonly acceptedAt: Date;
  readonly finishedAt: Date | null;
  readonly usage: RunUsage | null;
  readonly trace: RunTrace;
}
