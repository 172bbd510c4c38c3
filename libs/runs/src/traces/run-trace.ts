import type { RunStatus } from '../run-record/run-record';
import type { ModelUsage, RunUsage } from '../run-record/run-usage';

/** Values by the name of the input or output, as JSON values; long ones are shortened. */
export type TracedValues = Readonly<Record<string, unknown>>;

/** A call of a tool as a model wrote it. */
export interface TracedRequest {
  readonly name: string;
  /** JSON as text. */
  readonly arguments: string;
}

/** A message that a model was sent, or its answer; shortened. */
export interface TracedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly TracedRequest[];
}

/** A call of a model or a tool by a vertex. */
export interface CallTrace {
  readonly kind: 'model' | 'tool';
  /** The model or the tool. */
  readonly name: string;
  readonly provider?: string;
  readonly state: VertexTrace['state'];
  /** In milliseconds after the start of the attempt. */
  readonly start: number;
  readonly end: number;
  /** Absent when the provider reports none. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** In US dollars; null when it is not known, absent for a tool. */
  readonly cost?: number | null;
  readonly error?: string;
  /** The number of messages of a model call that are not listed: the call before had them, or there are too many. */
  readonly earlierMessages?: number;
  readonly messages?: readonly TracedMessage[];
  readonly answer?: TracedMessage;
  /** What a tool was given, and its result. */
  readonly arguments?: unknown;
  readonly result?: string;
}

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
  /** The first calls of models and tools, as far as they are observed one by one. */
  readonly calls?: readonly CallTrace[];
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
