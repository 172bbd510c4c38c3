import type { FlowSettings } from '@millrace/contracts';

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
  /** Langflow's further members (icon, tags, locked, …), given back as they came. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isComponent: boolean;
  readonly webhook: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly folderId: string | null;
}

/** What it takes to start a run; small, so that it can be cached. */
export interface FlowReference {
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  readonly pool: string;
  readonly settings: FlowSettings;
  readonly name: string;
  /** It was stored without nodes and edges: there is nothing to run yet. */
  readonly isEmpty: boolean;
}

/** What names a flow and tells what it is for, without its document. */
export interface FlowSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly version: number;
}

/** A flow to be stored; what is left out is empty, false or, for the folder, the user's own. */
export interface NewFlow {
  /** Kept unless it is taken, whoever has it. */
  readonly id?: string;
  readonly name: string;
  readonly description?: string | null;
  readonly endpointName?: string | null;
  readonly document: unknown;
  readonly settings?: FlowSettings;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly isComponent?: boolean;
  readonly webhook?: boolean;
  readonly folderId?: string | null;
}

/** What to change; what is left out stays. */
export type FlowChanges = Partial<Omit<NewFlow, 'id'>>;
