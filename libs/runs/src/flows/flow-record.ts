import type { FlowSettings } from '@millrace/flow';
import type { ScopedLimits } from '../limits/limits';

/** A flow in its newest version. */
export interface FlowRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string | null;
  readonly endpointName: string | null;
  readonly version: number;
  /** Langflow's `data`: nodes, edges, viewport. */
  readonly document: unknown;
  readonly settings: FlowSettings;
  /** Langflow's further members (icon, tags, locked, …), returned unchanged. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isComponent: boolean;
  readonly webhook: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly folderId: string | null;
  /** Identifies this state of the flow; each change gives another one. */
  readonly versionToken: string;
}

/** What is needed to start a run; small, so that it can be cached. */
export interface FlowReference {
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  /** The pool that runs the flow. */
  readonly pool: string;
  /** A run of the flow needs Python. */
  readonly needsPython: boolean;
  readonly settings: FlowSettings;
  readonly name: string;
  /** For the bounds of keys and limits; null where a schedule or queue found the flow. */
  readonly projectId: string | null;
  /** Why the flow is paused: callers get no run. Null where it is not, or where a trigger found it. */
  readonly pauseReason: string | null;
  /** The limits of the flow, its project and its user; null without any, absent where a schedule or queue found the flow. */
  readonly limits?: ScopedLimits | null;
  /** The flow was stored without nodes and edges: there is nothing to run yet. */
  readonly isEmpty: boolean;
}

/** A flow's identity and description, without its document. */
export interface FlowSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly version: number;
  readonly endpointName: string | null;
  readonly createdAt: Date;
}

/** A flow to store; omitted fields are empty, false or, for the folder, the user's default. */
export interface NewFlow {
  /** Used unless any flow, of any user, has it. */
  readonly id?: string;
  readonly name: string;
  readonly description?: string | null;
  readonly endpointName?: string | null;
  /** Set where an endpoint name that is taken is refused, in place of another one. */
  readonly keepsEndpointName?: boolean;
  readonly document: unknown;
  readonly settings?: FlowSettings;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly isComponent?: boolean;
  readonly webhook?: boolean;
  readonly folderId?: string | null;
  /** Whether a run needs Python; null when unknown. A new document without it makes it unknown. */
  readonly needsPython?: boolean | null;
}

/** The newest version of a flow of which it is unknown whether it needs Python. */
export interface UnclassifiedFlow {
  readonly id: string;
  readonly version: number;
  readonly document: unknown;
}

/** The fields to change; omitted fields stay unchanged. */
export interface FlowChanges extends Partial<Omit<NewFlow, 'id' | 'settings' | 'keepsEndpointName'>> {
  /** The settings, or how they follow from the stored ones. */
  readonly settings?: FlowSettings | ((stored: FlowSettings) => FlowSettings);
  /** The version whose document is activated again. */
  readonly restoredFrom?: number;
  /** The token of the state that the changes depend on; in another state nothing is changed. */
  readonly expectedVersionToken?: string | undefined;
}
