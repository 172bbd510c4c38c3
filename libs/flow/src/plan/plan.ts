import type { Component } from '../component/component';
import type { PythonValue } from '../values/python-value';

/** One setting of a vertex, as the flow file holds it. */
export interface PlanField {
  readonly name: string;
  /** Langflow's field type: str, int, bool, float, dict, NestedDict, table, file, prompt, other, code, … */
  readonly type: string;
  readonly value: PythonValue;
  readonly show: boolean;
  readonly loadFromDatabase: boolean;
  readonly list: boolean;
  readonly password: boolean;
  readonly filePath: PythonValue;
  readonly overrideSkip: boolean;
}

export interface PlanEdge {
  /** Indexes into `Plan.vertices`. */
  readonly source: number;
  readonly target: number;
  readonly sourceOutput: string;
  readonly targetField: string;
}

export interface PlanVertex {
  readonly index: number;
  readonly id: string;
  /** `data.type` as the flow file has it. */
  readonly type: string;
  readonly displayName: string;
  readonly isInput: boolean;
  readonly isOutput: boolean;
  readonly toolMode: boolean;
  readonly frozen: boolean;
  /** Null when nothing here implements the type, or the node carries code of its own: see `problem`. */
  readonly component: Component | null;
  readonly problem: FlowProblem | null;
  readonly fields: ReadonlyMap<string, PlanField>;
  /** Names of the outputs the saved node has; the component's when it saved none. */
  readonly outputs: readonly string[];
  readonly incoming: readonly PlanEdge[];
  readonly outgoing: readonly PlanEdge[];
}

/** Something about a flow that an author should know; one that `blocks` refuses runs that would reach the vertex. */
export interface FlowProblem {
  readonly code:
    'unknown_component' | 'edited_code' | 'invalid_edge' | 'dangling_edge' | 'invalid_node' | 'too_large';
  readonly blocks: boolean;
  readonly vertexId: string | null;
  readonly componentType: string | null;
  readonly message: string;
}

/** A flow version compiled once. Immutable, shared by all runs of that version. */
export interface Plan {
  readonly flowId: string;
  readonly version: number;
  readonly vertices: readonly PlanVertex[];
  readonly problems: readonly FlowProblem[];
}
