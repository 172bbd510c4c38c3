import type { Component } from '../component/component';
import type { Input } from '../component/input';
import type { ComponentError } from '../errors';
import type { PythonValue } from '../values/python-value';
import type { CodeOrigin } from './code-origin';
import type { LackingParts } from './lacking-parts';

/** One setting of a vertex, as the flow file holds it. */
export interface PlanField {
  readonly name: string;
  /** Langflow's field type: str, int, bool, float, dict, NestedDict, table, file, prompt, other, code, … */
  readonly type: string;
  readonly value: PythonValue;
  readonly show: boolean;
  readonly loadFromDatabase: boolean;
  /** Of a table: the columns whose cells are names of stored variables. */
  readonly variableColumns: readonly string[];
  readonly list: boolean;
  readonly password: boolean;
  readonly filePath: PythonValue;
  readonly overrideSkip: boolean;
  readonly required: boolean;
}

export interface PlanEdge {
  /** Indexes into `Plan.vertices`. */
  readonly source: number;
  readonly target: number;
  readonly sourceOutput: string;
  readonly targetField: string;
}

/** One named value of a vertex: a declared input, another saved field (a prompt variable), or a bare wire's end. */
export interface PlanSetting {
  readonly name: string;
  /** Null when the component does not declare it. */
  readonly input: Input<unknown> | null;
  /** Null when the node did not save it. */
  readonly field: PlanField | null;
  readonly wires: readonly PlanEdge[];
  /** True when every wire adds to a list, false when the last wire wins. */
  readonly list: boolean;
  /** The saved value as it reaches the component before conversion; undefined when the default applies. */
  readonly value: PythonValue | undefined;
  /** Why the saved value cannot be converted, if it cannot; matters unless a run replaces it. */
  readonly failure: ComponentError | null;
}

/** A version of a stock component that is not listed here. */
export interface UnlistedVersion {
  /** The Langflow release that saved the node; empty when the file does not say. */
  readonly savedBy: string;
  readonly lacking: LackingParts;
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
  /** What of an older file was read as today's component has it, a phrase each. */
  readonly upgrades: readonly string[];
  /** First twelve hex digits of the SHA-256 of the code it carries or names; empty when nothing is known of it. */
  readonly codeHash: string;
  readonly codeOrigin: CodeOrigin;
  /** True when the stock component runs in place of edited code, since its owner or the installation allows that. */
  readonly replacesCode: boolean;
  /** Of a stock node whose version is not listed: the release that saved it, and what the component here lacks. */
  readonly unlistedVersion: UnlistedVersion | null;
  readonly fields: ReadonlyMap<string, PlanField>;
  /** Names of the outputs the saved node has; the component's when it saved none. */
  readonly outputs: readonly string[];
  readonly incoming: readonly PlanEdge[];
  readonly outgoing: readonly PlanEdge[];
  /** The outputs to compute: the wired ones, or all when none is wired. */
  readonly wanted: readonly string[];
  readonly settings: ReadonlyMap<string, PlanSetting>;
  /** What no run changes: converted values of the declared inputs, wired ones left out. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The same before conversion, for every setting that has a value. */
  readonly values: Readonly<Record<string, PythonValue>>;
  /** Settings each run fills anew, from wires or from stored variables. */
  readonly wired: readonly PlanSetting[];
  readonly variables: readonly PlanSetting[];
  /** Settings whose saved value cannot be converted. */
  readonly failing: readonly PlanSetting[];
}

/** Which vertices a run, or one round of a loop, executes. */
export interface RunScope {
  /** The vertex a run starts at, when the flow has a webhook or a chat input. */
  readonly start: number | null;
  /** Indexes of the vertices that run, in node order. */
  readonly vertices: readonly number[];
  /** By vertex index: wires that must be done first, or -1 when the vertex does not run. */
  readonly pending: readonly number[];
  /** By vertex index: who waits for a wire that ends there: the vertex itself, or the loop that repeats it. */
  readonly receivers: readonly number[];
  /** Wires that lead back to where a cycle begins: nobody waits for them, and what comes over one begins a new round. */
  readonly backWires: ReadonlySet<PlanEdge>;
  /** What each loop repeats, by the loop's index. */
  readonly bodies: ReadonlyMap<number, LoopBody>;
}

/** The part of a flow that a loop runs once for each item. */
export interface LoopBody {
  readonly scope: RunScope;
  /** The wire over which each round's outcome comes back to the loop. */
  readonly feedback: PlanEdge;
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
  readonly scope: RunScope;
  /** Problems of vertices that a run would reach: any one refuses the run. */
  readonly refusals: readonly FlowProblem[];
}
