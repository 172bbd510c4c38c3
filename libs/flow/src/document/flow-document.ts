import type { FlowProblem, PlanField } from '../plan/plan';

/** The Python source of a node, known by the first twelve hex digits of its SHA-256. */
export interface NodeCode {
  /** Empty when nothing is known of it. */
  readonly hash: string;
  /** False when the file names the hash alone. */
  readonly isCarried: boolean;
  /** The hash in whose place the owner of the flow accepted the stock component; empty when there is none. */
  readonly acceptedHash: string;
}

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
  readonly code: NodeCode;
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
