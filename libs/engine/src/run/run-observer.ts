import type { ObservedStep, PlanVertex, VertexObservation } from '@millrace/flow';
import type { VertexRecord } from './vertex-record';
import type { VertexValues } from './given-values';

/** A run or a part of it, for one of its inputs. */
export interface ObservedRun {
  /** Returns the texts known so far that must not be shown: values of variables and of secret fields. */
  secrets(): ReadonlySet<string>;
  /** Returns true for a setting of a vertex whose value must not be shown. */
  isSecret(vertex: PlanVertex, name: string): boolean;
}

/** One execution of a vertex. */
export interface VertexExecution {
  readonly vertex: PlanVertex;
  /** 1 for the first execution in its scope; more in a cycle. */
  readonly execution: number;
  readonly flowId: string;
  /** Empty for the main flow; for a flow that runs as part of the run, identifies the part. */
  readonly part: string;
  readonly run: ObservedRun;
}

/**
 * The execution of a vertex. It fails with the error as callers see it, without keys. A text of its result can still be
 * streaming when it succeeds; the model call that produces the text ends with it.
 */
export interface ObservedVertex extends ObservedStep<VertexRecord>, VertexObservation {
  /** Called with the values of the vertex before its component runs. They can contain secrets. */
  given?(values: VertexValues): void;
}

/**
 * Observes the steps of one run: executions of vertices, and in them calls of models and tools and retrievals. Unlike a
 * `VertexObserver`, it never delays the run. Its methods must not throw.
 */
export interface RunObserver {
  vertex(execution: VertexExecution): ObservedVertex;
}
