import type { PlanVertex, RunMoment, RunScope } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { ObservedVertex } from '../run/run-observer';
import type { RunRecords } from '../run/vertex-record';

/** The execution of the scope in which a vertex runs. */
export interface ExecutionScope {
  readonly scope: RunScope;
  readonly records: RunRecords;
  /** The observed execution of the vertex that this scope was passed for; absent without an observer. */
  readonly observed?: ObservedVertex;
  /** Returns how often the vertex has run, including the current execution. */
  execution(vertex: PlanVertex): number;
  /** Returns what identifies the current execution of the vertex in its run, in each attempt. */
  place(vertex: PlanVertex): string;
  /** Returns the moment of a vertex that is about to run. */
  moment(vertex: PlanVertex): RunMoment;
  repeat(
    loop: { readonly vertex: PlanVertex; readonly moment: RunMoment },
    output: string,
    values: readonly PythonValue[],
  ): Promise<readonly PythonValue[]>;
  countToolCall(): void;
}
