/**
 * Bodies of the API, of its OpenAPI document, by the names that the console has for them. What the document calls any object has
 * its members here.
 */
import type { Schemas } from '@millrace/cli/client';

export type { Schemas };

export type Session = Schemas['ConsoleSession'];
export type Scope = Session['scopes'][number];

type ListedRun = Schemas['RunSummary'];
export type RunStatus = ListedRun['status'];
export type ModelUsage = Schemas['ModelUsage'];
export type Usage = NonNullable<ListedRun['usage']>;
export type RunAttempt = WithFailure<Schemas['RunAttempts']['attempts'][number]>;
export type RunLogLine = Schemas['RunLogLine'];
export type RunRequest = Schemas['RunRequestRecord'];

export interface RunProblem {
  readonly vertexId: string | null;
  readonly message: string;
}

export interface RunFailure {
  readonly code: string;
  /** Absent for a viewer without payloads. */
  readonly message?: string;
  readonly vertex?: { readonly id: string; readonly displayName: string; readonly type: string } | null;
  readonly problems?: readonly RunProblem[];
}

type WithFailure<Of> = Omit<Of, 'error'> & { readonly error: RunFailure | null };

/** A run, of a list or read alone. */
export type Run = WithFailure<ListedRun> &
  Partial<Pick<Schemas['Run'], 'worker' | 'trace_url'>> & { readonly result?: RunResult | null };

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

export type Trace = Schemas['RunTrace'];
export type VertexRecord = Trace['vertices'][number];
export type CallRecord = VertexRecord['calls'][number];
export type CallMessage = NonNullable<CallRecord['answer']>;

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

type Named<Of> = Omit<Of, 'data' | 'action_name'> & { readonly action_name: string | null };
export type FlowSummary = Named<Schemas['FlowHeader']>;
export type Flow = Named<Schemas['Flow']> & { readonly data: FlowDocument | null };
export type FlowSettings = NonNullable<Schemas['NewFlow']['settings']>;
export type FlowStatistics = Schemas['FlowStatistics']['flows'][number];
export type FlowVersion = Schemas['FlowVersionList']['versions'][number] & { readonly data?: FlowDocument };
export type FlowReport = Schemas['FlowReport'];
export type VertexVerdict = FlowReport['vertices'][number];

export type RefusedDelivery = Schemas['RefusedDeliveryList']['refused'][number];
export type Callback = Schemas['Callback'];
export type CallbackAttempt = Schemas['CallbackLog']['log'][number];
export type StoredMessage = Schemas['Message'];
export type Trigger = Schemas['Trigger'] & Partial<Pick<Schemas['Schedule'], 'next_times'>>;
export type TriggerEvent = Schemas['TriggerEvent'];
