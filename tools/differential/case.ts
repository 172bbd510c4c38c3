// The shapes of cases, answers and differences. Types only.

export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };
export type JsonObject = Readonly<Record<string, Json | undefined>>;

/** A field of a component template of Langflow. */
export interface Field {
  readonly name?: string;
  readonly display_name?: string;
  readonly type?: string;
  readonly _input_type?: string;
  readonly input_types?: readonly string[] | null;
  readonly options?: readonly (string | { readonly name: string })[] | null;
  readonly required?: boolean;
  readonly show?: boolean;
  readonly list?: boolean;
  readonly range_spec?: { readonly min: number; readonly max: number } | null;
  readonly value?: Json;
}

export interface Output {
  readonly name: string;
  readonly types: readonly string[];
  readonly method?: string;
}

/** A component template, which the editor copies into a flow as a node. */
export interface Template {
  readonly display_name: string;
  readonly template: Readonly<Record<string, Field | string>>;
  readonly outputs: readonly Output[];
  readonly tool_mode?: boolean;
  readonly frozen?: boolean;
}

export interface FlowNode {
  readonly id: string;
  readonly type: 'genericNode';
  readonly position: { readonly x: number; readonly y: number };
  readonly data: { readonly id: string; readonly type: string; readonly node: Template };
}

export interface FlowEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceHandle: string;
  readonly targetHandle: string;
  readonly data: { readonly sourceHandle: JsonObject; readonly targetHandle: JsonObject };
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
}

export interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly text: string;
}

/**
 * A request. In its texts `{{flow}}` is the id of the case's flow, `{{name}}` a value that an earlier step captured,
 * `{{echo}}` the address of the echo server, `{{model}}` that of the model server, and `{{play}}` a word that no other play has.
 */
export interface Step {
  /** Method and path of the document, such as `GET /api/v1/variables/{variable_id}`. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly text?: string;
  readonly files?: readonly FormFile[];
  /** Paths in the answer, such as `0.id`, by the name of the captured value. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Prepares the case: only its status is compared. */
  readonly isSetup?: true;
  /** Sent again until the answer is a list of which nothing waits, and that is not empty, or its `status` is that of an end or of a pause. */
  readonly isPolled?: true;
  /** Messages that are sent in order to the endpoint that the answer, a stream of events, names; each waits for its answer. */
  readonly messages?: readonly JsonObject[];
  /** Signs the body with this secret, as callers of an ingress do. */
  readonly secret?: string;
}

export interface Case {
  readonly id: number;
  /** What was generated, such as `run` or `invalid`. */
  readonly form: string;
  readonly flow?: Flow;
  /** What is sent before the flow is uploaded, whose texts can contain what these steps captured. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** What one server answered to the steps of a case, and what the model server was asked meanwhile. */
export interface Play {
  readonly answers: readonly Answer[];
  readonly asked: readonly Json[];
  readonly milliseconds: number;
}

/** `left` is Langflow's value and `right` Millrace's; undefined when absent. */
export interface Difference {
  readonly route: string;
  /** Begins with `status`, `headers`, `body` or `asked`; an index of a list is `[]`. */
  readonly path: string;
  readonly kind: 'status' | 'missing' | 'additional' | 'length' | 'type' | 'value';
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

export interface WantedDifference {
  readonly route: string;
  readonly member: string;
  readonly condition?: string;
  /** The path of a difference that the case must have, too; behind a space what `condition` has. */
  readonly beside?: string;
  /** A component that the case must have. */
  readonly type?: string;
  readonly reason: string;
  readonly page: string;
}

/** A defect that is known: a case that shows no other difference is `open`. */
export interface OpenDifference extends Omit<WantedDifference, 'reason' | 'page'> {
  readonly why: string;
}

/** What became of a case. */
export interface Result {
  readonly id: number;
  readonly form: string;
  readonly types: readonly string[];
  readonly routes: readonly string[];
  readonly outcome: 'equal' | 'different' | 'wanted' | 'open' | 'both fail';
  /** Whether a run answered with outputs that are not empty; null when the case runs nothing. */
  readonly ran: { readonly langflow: boolean; readonly millrace: boolean } | null;
  readonly differences: readonly Difference[];
  readonly hiddenBy: readonly number[];
  /** The numbers of the known defects that the case shows. */
  readonly knownBy: readonly number[];
  /** How long the first play took on each server. */
  readonly milliseconds: { readonly langflow: number; readonly millrace: number };
  /** The smallest case with the first difference. */
  readonly smallest?: Case;
}
