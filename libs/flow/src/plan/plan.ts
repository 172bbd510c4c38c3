import type { PythonValue } from '@millrace/python-text';
import type { PlanField } from '../document/plan-field';
import type { FlowProblem } from '../document/flow-problem';
import type { Component } from '../component/component';
import type { Input } from '../component/input';
import type { ComponentError } from '../errors';
import type { CodeOrigin } from '../code/code-origin';
import type { MissingParts } from './missing-parts';
import type { PythonVertex } from '../python/python-source';

export interface PlanEdge {
  /** Indexes into `Plan.vertices`. */
  readonly source: number;
  readonly target: number;
  readonly sourceOutput: string;
  readonly targetField: string;
}

/**
 * One named value of a vertex: a declared input, another saved field (a prompt variable), or the target of an edge
 * only.
 */
export interface PlanSetting {
  readonly name: string;
  /** Null when the component does not declare the input. */
  readonly input: Input<unknown> | null;
  /** Null when the node did not save the field. */
  readonly field: PlanField | null;
  readonly edges: readonly PlanEdge[];
  /** True when the edges form a list; false when the last edge wins. */
  readonly list: boolean;
  /** The saved value before conversion; undefined when the default applies. */
  readonly value: PythonValue | undefined;
  /** The error of converting the saved value, or null; irrelevant if a run replaces the value. */
  readonly failure: ComponentError | null;
}

/** A version of a stock component that is not in the list of published versions. */
export interface UnlistedVersion {
  /** The Langflow release that saved the node; empty if absent. */
  readonly savedBy: string;
  readonly missing: MissingParts;
}

export interface PlanVertex {
  readonly index: number;
  readonly id: string;
  /** `data.type` in the flow file. */
  readonly type: string;
  readonly displayName: string;
  readonly icon: string | null;
  readonly isInput: boolean;
  readonly isOutput: boolean;
  readonly toolMode: boolean;
  readonly frozen: boolean;
  /** Null when the type is not implemented or the node contains edited code: see `problem`. */
  readonly component: Component | null;
  readonly problem: FlowProblem | null;
  /** Parts of an older file that were converted to the current component, one phrase each. */
  readonly upgrades: readonly string[];
  /** First twelve hex digits of the SHA-256 of the node's code; empty when unknown. */
  readonly codeHash: string;
  readonly codeOrigin: CodeOrigin;
  /** How a vertex without a native component runs in Python; null for a native vertex and for one that cannot. */
  readonly python: PythonVertex | null;
  /** True when the stock component runs in place of edited code, as the flow's owner or the installation allows. */
  readonly replacesCode: boolean;
  /** True when the stock component replaces its edited code, or could if the flow's owner accepted it. */
  readonly acceptable: boolean;
  /**
   * For a stock node of an unlisted version: the release that saved it, and the parts that the component here lacks.
   */
  readonly unlistedVersion: UnlistedVersion | null;
  /** Paths of members of its node that this release does not know. */
  readonly unknownMembers: readonly string[];
  readonly fields: ReadonlyMap<string, PlanField>;
  /** Names of the saved outputs; those of the component when none are saved. */
  readonly outputs: readonly string[];
  /** The types of the first saved output. */
  readonly firstOutputTypes: readonly string[];
  readonly incoming: readonly PlanEdge[];
  readonly outgoing: readonly PlanEdge[];
  /** The outputs to compute: the connected ones, or all when none is connected. */
  readonly wanted: readonly string[];
  readonly settings: ReadonlyMap<string, PlanSetting>;
  /** Converted values of the declared inputs that are the same in every run; connected inputs are omitted. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The same values before conversion, for every setting that has a value. */
  readonly values: Readonly<Record<string, PythonValue>>;
  /** Settings that each run fills, from edges or from stored variables. */
  readonly connected: readonly PlanSetting[];
  readonly variables: readonly PlanSetting[];
  /** Settings whose saved value cannot be converted. */
  readonly failing: readonly PlanSetting[];
}

/** The vertices that a run, or one round of a loop, executes. */
export interface RunScope {
  /** The vertex at which a run starts, when the flow has a webhook or a chat input. */
  readonly start: number | null;
  /** Indexes of the vertices that run, in node order. */
  readonly vertices: readonly number[];
  /** By vertex index: the number of edges that a vertex waits for, or -1 when the vertex does not run. */
  readonly pending: readonly number[];
  /**
   * By vertex index: the vertex that waits for an edge into this vertex: the vertex itself, or the loop that repeats
   * it.
   */
  readonly receivers: readonly number[];
  /** Edges that lead back to the entry of a cycle: no vertex waits for them, and a value on one begins a new round. */
  readonly backEdges: ReadonlySet<PlanEdge>;
  /** The body of each loop, by the loop's index. */
  readonly bodies: ReadonlyMap<number, LoopBody>;
}

/** The part of a flow that a loop runs once for each item. */
export interface LoopBody {
  readonly scope: RunScope;
  /** The edges on which the result of a round returns to the loop: the last of those that the round reaches counts. */
  readonly feedback: readonly PlanEdge[];
}

/** A compiled flow version. Immutable; shared by all runs of that version. */
export interface Plan {
  readonly flowId: string;
  readonly version: number;
  readonly vertices: readonly PlanVertex[];
  readonly problems: readonly FlowProblem[];
  readonly scope: RunScope;
  /** Problems of vertices that a run would reach: a single one refuses the run. */
  readonly refusals: readonly FlowProblem[];
  /** A run reaches a vertex that is not native and that Python could run, whatever the policy. */
  readonly needsPython: boolean;
  /** A component of the flow can read the messages of a session. */
  readonly readsSession: boolean;
  /** The first vertex that can suspend the run until a person has answered, or whose tools want that; null without one. */
  readonly asking: Pick<PlanVertex, 'id' | 'displayName'> | null;
  /** The flows that vertices run as parts of the run: the names that are saved, of which a run can change each. */
  readonly calledFlows: readonly CalledFlow[];
}

/** A flow that a vertex runs: its id, name or endpoint names, first the one that counts; empty where none is saved. */
export type CalledFlow = readonly string[];
