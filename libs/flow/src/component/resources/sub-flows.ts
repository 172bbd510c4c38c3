import type { OutputSelection, RunInput, Tweaks } from '../../run/run-request';
import type { RunMoment } from '../../run/run-moment';
import type { PythonValue } from '../../values/python-value';

/** Another flow of the run's user. */
export interface SubFlow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The one that runs. */
  readonly version: number;
}

/** A value that a caller of a flow may give. */
export interface SubFlowInput {
  readonly vertexId: string;
  readonly displayName: string;
  /** `input_value`, or `data` of a webhook. */
  readonly field: string;
}

export interface SubFlowRequest {
  readonly input?: RunInput;
  readonly tweaks: Tweaks;
  readonly sessionId: string;
  readonly outputs: OutputSelection;
  /**
   * Who runs the flow and, where the order of calls may be another one in another attempt, what with. Calls of the same
   * name are numbered as they come.
   */
  readonly call: string;
  /** When it runs: it sees what its flow has stored before in the same run. */
  readonly moment: RunMoment;
}

/** What a vertex of another flow gave. */
export interface SubFlowOutput {
  readonly vertexId: string;
  readonly displayName: string;
  /** By the name of the output. Texts are whole. */
  readonly values: Readonly<Record<string, PythonValue>>;
}

/** Other flows of the run's user, run as a part of this run: its deadline, its bounds, its variables. */
export interface SubFlows {
  /** By id, name or endpoint name; null for unknown flows and somebody else's alike. */
  find(reference: string): Promise<SubFlow | null>;
  /** By name, a thousand at most. */
  list(): Promise<readonly SubFlow[]>;
  /** In the order of the file. */
  inputs(flow: SubFlow): Promise<readonly SubFlowInput[]>;
  /**
   * What the selected vertices gave, in the order of the file; those that did not run are left out. Throws the RunError
   * the flow failed with; of code `too_many_vertices` when flows run each other too deep.
   */
  run(flow: SubFlow, request: SubFlowRequest, signal: AbortSignal): Promise<readonly SubFlowOutput[]>;
}
