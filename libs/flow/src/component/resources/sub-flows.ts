import type { PythonValue } from '@millrace/python-text';
import type { OutputSelection, RunInput, Tweaks } from '../../run/run-request';
import type { RunMoment } from '../../run/run-moment';

/** Another flow of the run's user. */
export interface SubFlow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The version that runs. */
  readonly version: number;
}

/** An input of a flow that its caller can set. */
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
   * Identifies the call: the vertex that runs the flow and, where another attempt can make the calls in another order,
   * the arguments. Calls with the same name are numbered in order.
   */
  readonly call: string;
  /** The position of the call in the run: determines which messages of the run the flow sees. */
  readonly moment: RunMoment;
}

/** The outputs of a vertex of another flow. */
export interface SubFlowOutput {
  readonly vertexId: string;
  readonly displayName: string;
  /** Values by output name. Streamed texts are complete. */
  readonly values: Readonly<Record<string, PythonValue>>;
}

/** Runs other flows of the run's user as part of this run, with its deadline, limits and variables. */
export interface SubFlows {
  /** Finds a flow by id, name or endpoint name; null for an unknown flow and for a flow of another user. */
  find(reference: string): Promise<SubFlow | null>;
  /** Lists at most 1,000 flows, ordered by name. */
  list(): Promise<readonly SubFlow[]>;
  /** Returns the inputs of a flow, in the order of the file. */
  inputs(flow: SubFlow): Promise<readonly SubFlowInput[]>;
  /** Whether a run of the flow can wait for a person, and this run for it. */
  asks(flow: SubFlow): Promise<boolean>;
  /**
   * Runs a flow. Resolves to the outputs of the selected vertices in the order of the file; vertices that did not run
   * are omitted. Rejects with the RunError of the flow, or with code `too_many_vertices` when flows are nested too
   * deeply.
   */
  run(flow: SubFlow, request: SubFlowRequest, signal: AbortSignal): Promise<readonly SubFlowOutput[]>;
}
