/** The complete response of a run, in Langflow's shape (`RunResponse`). */
export interface RunResponse {
  readonly session_id: string;
  readonly outputs: readonly RunOutputs[];
}

/** One input and the results of the selected vertices for it. */
export interface RunOutputs {
  readonly inputs: { readonly input_value?: string };
  readonly outputs: readonly ResultData[];
}

/** The result of one vertex for clients. All members are ready for JSON.stringify. */
export interface ResultData {
  readonly results: Readonly<Record<string, unknown>>;
  readonly artifacts: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly message: unknown; readonly type: string }>>;
  readonly logs: Readonly<Record<string, readonly unknown[]>>;
  readonly messages: readonly unknown[];
  readonly timedelta: number | null;
  readonly duration: string | null;
  readonly component_display_name: string;
  readonly component_id: string;
  readonly used_frozen_result: boolean;
  readonly token_usage: TokenUsage | null;
}

export interface TokenUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
}
