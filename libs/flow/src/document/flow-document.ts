import type { FlowProblem, PlanField } from '../plan/plan';

/** What a node says of its Python source. A hash is the first twelve hex digits of the SHA-256 of the text. */
export interface NodeCode {
  /** Of the text, or the recorded one when the text was left out; empty when the node has neither. */
  readonly hash: string;
  /** False when the file names the hash alone. */
  readonly isCarried: boolean;
  /** The hash in whose place the owner of the flow accepted the stock component; empty when there is none. */
  readonly acceptedHash: string;
  /** `metadata.code_hash` as the file has it; empty when it has none. */
  readonly recordedHash: string;
  /** The mark `edited`; null when the file has none. */
  readonly edited: boolean | null;
  /** `metadata.module`, such as `lfx.components.input_output.chat.ChatInput`; empty when the file has none. */
  readonly module: string;
  /** The lfx version that last built the node from its text in the editor; empty for a node as its package has it. */
  readonly builtBy: string;
  /** The Langflow release that last saved or ran the node (`lf_version`); empty when the file does not say. */
  readonly savedBy: string;
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
  /** Fields that the component adds itself, such as the variables of a prompt. */
  readonly customFields: ReadonlySet<string>;
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
  /** What the flow's owner set for edited code in all of its nodes; null when the installation decides. */
  readonly editedCode: EditedCodeRule | null;
}

/** What becomes of a vertex whose code its author edited: its runs are refused, or the stock component runs. */
export type EditedCodeRule = 'refuse' | 'stock';
