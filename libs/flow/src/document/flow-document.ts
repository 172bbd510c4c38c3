import type { FlowProblem, PlanField } from '../plan/plan';

/** One box of a flow file, notes and groups already resolved. */
export interface FlowNode {
  readonly id: string;
  /** `data.type` as the file has it. */
  readonly type: string;
  readonly displayName: string;
  /** What the node itself says about its role (`is_input`, `is_output`); ids and types decide as well. */
  readonly saysInput: boolean;
  readonly saysOutput: boolean;
  readonly toolMode: boolean;
  readonly frozen: boolean;
  /** False when the node has no template: it is shown, and refused if a run would reach it. */
  readonly hasTemplate: boolean;
  readonly fields: ReadonlyMap<string, PlanField>;
  /** Names of the saved outputs, in their order. */
  readonly outputs: readonly string[];
  /** The Python source the node carries; empty when it carries none. */
  readonly code: string;
}

/** One wire of a flow file. */
export interface FlowEdge {
  readonly sourceId: string;
  readonly targetId: string;
  readonly sourceOutput: string;
  readonly targetField: string;
  /** Types the output gives and the field takes, as the file names them; empty when it names none. */
  readonly sourceTypes: readonly string[];
  readonly targetTypes: readonly string[];
}

/** A flow file read: what a plan is compiled from. */
export interface FlowDocument {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly problems: readonly FlowProblem[];
}
