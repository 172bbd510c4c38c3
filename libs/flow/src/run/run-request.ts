/** Settings for one run: by vertex id or display name, or a single value for every vertex that has the field. */
export type Tweaks = Readonly<Record<string, TweakValue>>;
export type TweakValue =
  string | number | boolean | null | readonly unknown[] | { readonly [field: string]: unknown };

export type InputType = 'chat' | 'text' | 'any';
export type OutputType = 'chat' | 'text' | 'any' | 'debug';

/** One input of a run; `components` (ids or display names) narrows which input vertices take it, empty means all. */
export interface RunInput {
  readonly components: readonly string[];
  readonly inputValue: string;
  readonly type: InputType;
}

/** Selects the vertices whose results are returned. */
export type OutputSelection =
  | { readonly by: 'type'; readonly type: OutputType }
  | { readonly by: 'component'; readonly component: string }
  | { readonly by: 'list'; readonly outputs: readonly string[] };

/** The request of one run, from any endpoint: everything that an executor needs in addition to the flow. */
export interface RunRequest {
  /** The endpoint whose rules apply where they differ (error texts, header variables). */
  readonly form: 'simple' | 'advanced' | 'webhook';
  /** One result list per input; an empty list runs once without any input. */
  readonly inputs: readonly RunInput[];
  readonly outputs: OutputSelection;
  readonly tweaks: Tweaks;
  /** True when the caller streams: sets the `stream` field of components. */
  readonly stream: boolean;
  /** True when the `stream` field of components is as saved, although the caller streams. */
  readonly keepsStreamFields?: true;
  /** True when the events of the run include each vertex. */
  readonly vertexEvents?: boolean;
  /** The effective session: the caller's, or the flow's id. */
  readonly sessionId: string;
  /** True when the caller named no session and the run got one of its own. */
  readonly isOwnSession?: true;
  /** Variables of this request only (X-LANGFLOW-GLOBAL-VAR-*), with upper-case names. */
  readonly globalVariables: Readonly<Record<string, string>>;
  /** Paths of uploaded files that come with the input, for every ChatInput. */
  readonly files?: readonly string[];
  /** A webhook's body as text, for the `data` field of every vertex whose id contains "Webhook". */
  readonly webhookPayload?: string;
  /** True when the records of the run contain the values of its vertices unless they are off, as of runs of the console. */
  readonly keepsValues?: true;
  /** Id of the API key that asked for the run; in the rows of durable runs only. */
  readonly keyId?: string;
}
