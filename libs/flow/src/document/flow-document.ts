import type { JsonObject } from './json-object';
import type { PlanField } from './plan-field';
import type { FlowProblem } from './flow-problem';

/** The Python source of a node. A hash is the first twelve hex digits of the SHA-256 of the text. */
export interface NodeCode {
  /** Hash of the text, or the recorded hash when the file omits the text; empty when the node has neither. */
  readonly hash: string;
  /**
   * Hashes of the text with the imports of Langflow's package moved to the other name, `langflow` or `lfx`. Computed when
   * asked for, because most texts are known as they are.
   */
  readonly movedHashes: () => readonly string[];
  /** False when the file contains only the hash. */
  readonly hasText: boolean;
  /**
   * The hash of the code that the flow's owner accepted to replace by the stock component; empty when there is none.
   */
  readonly acceptedHash: string;
  /** `metadata.code_hash` in the file; empty if absent. */
  readonly recordedHash: string;
  /** The flag `edited`; null if absent. */
  readonly edited: boolean | null;
  /** `metadata.module`, such as `lfx.components.input_output.chat.ChatInput`; empty if absent. */
  readonly module: string;
  /**
   * The lfx version with which the editor last built the node from its text; empty for an unmodified node of a package.
   */
  readonly builtBy: string;
  /** The Langflow release that last saved or ran the node (`lf_version`); empty if absent. */
  readonly savedBy: string;
}

/** One node of a flow file, after notes are removed and groups flattened. */
export interface FlowNode {
  readonly id: string;
  /** `data.type` in the file. */
  readonly type: string;
  readonly displayName: string;
  /** The name of its icon, or null. */
  readonly icon: string | null;
  /** The role in the node itself (`is_input`, `is_output`); ids and types determine it as well. */
  readonly declaresInput: boolean;
  readonly declaresOutput: boolean;
  readonly toolMode: boolean;
  readonly frozen: boolean;
  /** False when the node has no template: it is listed, and a run that would reach it is refused. */
  readonly hasTemplate: boolean;
  readonly fields: ReadonlyMap<string, PlanField>;
  /** Names of the saved outputs, in order. */
  readonly outputs: readonly string[];
  /** The outputs as in the file; for a node of a release without outputs, the only one, `output`. */
  readonly savedOutputs: readonly JsonObject[];
  /** Fields that the component adds itself, such as the variables of a prompt. */
  readonly customFields: ReadonlySet<string>;
  readonly code: NodeCode;
  /** Paths of its members that this release does not know, such as `template.url.policy`. */
  readonly unknownMembers: readonly string[];
}

/** One edge of a flow file. */
export interface FlowEdge {
  readonly sourceId: string;
  readonly targetId: string;
  readonly sourceOutput: string;
  readonly targetField: string;
  /** Types of the output and types that the field accepts, as in the file; empty if absent. */
  readonly sourceTypes: readonly string[];
  readonly targetTypes: readonly string[];
}

/** A parsed flow file, from which a plan is compiled. */
export interface FlowDocument {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly problems: readonly FlowProblem[];
  /** The owner's rule for edited code in all nodes of the flow; null when the installation's rule applies. */
  readonly editedCode: EditedCodeRule | null;
}

/** How a vertex with edited code is handled: `refuse` refuses its runs, `stock` runs the stock component. */
export type EditedCodeRule = 'refuse' | 'stock';
