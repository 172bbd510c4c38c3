/** Bodies of the API, as far as the console reads them. Times are ISO 8601. */
export type RunStatus =
  | 'accepted'
  | 'queued'
  | 'running'
  | 'suspended'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'timed_out'
  | 'dead';

export type Scope = 'run' | 'manage' | 'admin';

export interface Session {
  readonly user: { readonly id: string; readonly username: string; readonly is_superuser: boolean };
  readonly scopes: readonly Scope[];
  readonly expires_at: string;
  readonly session_id: string;
}

export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

export interface Usage {
  readonly model_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly cost_usd: number | null;
  readonly unpriced_calls: number;
  readonly models: readonly ModelUsage[];
}

export interface RunProblem {
  readonly vertexId: string | null;
  readonly message: string;
}

export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly vertex?: { readonly id: string; readonly displayName: string; readonly type: string } | null;
  readonly problems?: readonly RunProblem[];
}

export interface Run {
  readonly id: string;
  readonly user_id?: string;
  readonly username?: string;
  readonly flow_id: string;
  readonly flow_name?: string;
  readonly flow_version?: number;
  readonly session_id: string;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly origin?: string;
  /** The trigger that started the run, or the run that it replays. */
  readonly trigger?: Pick<Trigger, 'id' | 'name' | 'kind'> | null;
  readonly lane: string;
  readonly pool: string;
  readonly accepted_at: string;
  readonly queued_at?: string | null;
  readonly started_at?: string | null;
  readonly finished_at: string | null;
  readonly retries?: number;
  readonly replay_of?: string | null;
  readonly usage: Usage | null;
  readonly error: RunFailure | null;
  readonly result?: RunResult | null;
  readonly worker?: string | null;
  /** Where the operator's trace backend shows the run. */
  readonly trace_url?: string | null;
}

export interface RunAttempt {
  readonly attempt: number;
  readonly worker: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly outcome: string;
  readonly error: RunFailure | null;
}

/** A warning or an error that an executor wrote about an attempt. */
export interface RunLogLine {
  readonly at: string;
  readonly level: 'warn' | 'error';
  readonly attempt: number | null;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface RunInput {
  readonly components?: readonly string[];
  readonly input_value?: string | null;
  readonly type?: string;
}

/** The request of a run, without secret values. */
export interface RunRequest {
  readonly inputs: readonly RunInput[];
  readonly tweaks?: Readonly<Record<string, unknown>> | null;
  readonly session_id?: string | null;
  readonly files?: readonly string[];
  readonly webhook_payload?: string | null;
}

export interface RunResult {
  readonly outputs?: readonly {
    readonly inputs?: { readonly input_value?: string };
    readonly outputs?: readonly RunOutput[];
  }[];
}

export interface RunOutput {
  readonly results?: Readonly<Record<string, unknown>>;
  readonly messages?: readonly { readonly message?: unknown }[];
  readonly component_id: string;
  readonly component_display_name: string;
}

export interface RunPage {
  readonly runs: readonly Run[];
  readonly next_cursor: string | null;
}

/** A message that a model was sent, or its answer. */
export interface CallMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls: readonly { readonly name: string; readonly arguments: string }[];
}

/** A call of a model or a tool by a vertex. Values are null where they are not kept. */
export interface CallRecord {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly provider: string | null;
  readonly state: string;
  readonly start_milliseconds: number;
  readonly end_milliseconds: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost_usd: number | null;
  readonly error: string | null;
  readonly earlier_messages: number;
  readonly messages: readonly CallMessage[] | null;
  readonly answer: CallMessage | null;
  readonly arguments: unknown;
  readonly result: string | null;
}

export interface VertexRecord {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly flow_id: string;
  readonly state: string;
  readonly executions: number;
  readonly start_milliseconds: number;
  readonly end_milliseconds: number;
  readonly milliseconds: number;
  readonly longest_milliseconds: number;
  readonly input_bytes: number | null;
  readonly output_bytes: number | null;
  readonly tool_calls: number;
  readonly models: readonly ModelUsage[];
  readonly calls: readonly CallRecord[];
  readonly error: string | null;
  /** Null when values are not kept. */
  readonly inputs: Readonly<Record<string, unknown>> | null;
  readonly outputs: Readonly<Record<string, unknown>> | null;
}

export interface Trace {
  readonly run_id: string;
  readonly attempt: number;
  readonly reason: string;
  readonly milliseconds: number;
  readonly vertices: readonly VertexRecord[];
  readonly omitted_executions: number;
}

export interface FlowField {
  readonly name?: string;
  readonly display_name?: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly required?: boolean;
  readonly advanced?: boolean;
  readonly show?: boolean;
  readonly info?: string;
  readonly password?: boolean;
  readonly multiline?: boolean;
  readonly options?: readonly unknown[];
}

export interface FlowNode {
  readonly id: string;
  readonly type?: string;
  readonly position?: { readonly x: number; readonly y: number };
  readonly data: {
    readonly id?: string;
    readonly type?: string;
    readonly node?: {
      readonly display_name?: string;
      readonly description?: string;
      readonly documentation?: string;
      readonly template?: Readonly<Record<string, FlowField | string>>;
      readonly tool_mode?: boolean;
    };
  };
}

export interface FlowDocument {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly { readonly id?: string; readonly source: string; readonly target: string }[];
}

export interface FlowSummary {
  readonly id: string;
  readonly folder_id?: string | null;
  readonly mcp_enabled?: boolean;
  readonly action_name?: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly endpoint_name: string | null;
  readonly is_component?: boolean;
}

export interface Flow extends FlowSummary {
  readonly data: FlowDocument | null;
  readonly version: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly updated_at: string;
  readonly tags: readonly string[] | null;
}

export interface FlowStatistics {
  readonly flow_id: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly success_rate: number | null;
  readonly p50_milliseconds: number | null;
  readonly p95_milliseconds: number | null;
  readonly last_run: { readonly id: string; readonly status: RunStatus; readonly accepted_at: string } | null;
}

export interface FlowVersion {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly active: boolean;
  readonly restored_from: number | null;
  readonly data?: FlowDocument;
}

export interface VertexVerdict {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  /** The stock component can run in place of its edited code. */
  readonly acceptable: boolean;
  readonly reason: string | null;
}

export interface FlowReport {
  readonly runnable: boolean;
  readonly verdict: string;
  readonly vertices: readonly VertexVerdict[];
  readonly problems: readonly {
    readonly code: string;
    readonly vertex_id: string | null;
    readonly message: string;
  }[];
}

/** Deliveries that a webhook refused for one reason. */
export interface RefusedDelivery {
  readonly id: string;
  readonly refused_at: string;
  readonly count: number;
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  readonly client_address: string | null;
}

export interface Callback {
  readonly id: string;
  /** Null for a report of an alert. */
  readonly run_id: string | null;
  readonly flow_id: string;
  readonly kind: string;
  readonly url: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export interface CallbackAttempt {
  readonly number: number;
  readonly at: string;
  readonly milliseconds: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

export interface StoredMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly sender: string;
  readonly sender_name: string;
  readonly text: string;
  readonly content_blocks: readonly unknown[];
}

export interface Trigger {
  readonly id: string;
  readonly flow_id: string;
  readonly name: string;
  readonly kind: 'inbound_webhook' | 'schedule' | 'rabbitmq';
  readonly config: Readonly<Record<string, unknown>>;
  readonly state: 'pending' | 'active' | 'paused';
  readonly next_fire_at: string | null;
  readonly last_fired_at: string | null;
  readonly last_error: string | null;
  readonly concurrency_limit: number;
  readonly max_attempts: number;
  readonly session_policy: string;
  readonly next_times?: readonly string[];
}

export interface TriggerEvent {
  readonly id: string;
  readonly state: string;
  readonly payload: unknown;
  readonly job_id: string | null;
  readonly error: string | null;
  readonly created_at: string;
}
