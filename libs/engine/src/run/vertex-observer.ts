import type { TokenUsage } from '@millrace/flow';

/** Observes each vertex of a run. Without an observer, no notification is created. */
export interface VertexObserver {
  begins?(vertexId: string): void | Promise<void>;
  /** Awaited before followers of the vertex start, unless a text of the vertex is still streaming. */
  ended(built: BuiltVertex, execution: BuildDetails): void | Promise<void>;
}

/** How a vertex came to its result. */
export interface BuildDetails {
  readonly seconds: number;
  /** True when a frozen vertex reused a cached result. */
  readonly reused: boolean;
  /** Null when no model was called, and for a chat input or output. */
  readonly usage: TokenUsage | null;
}

/** The notification of the end of a vertex, in Langflow's shape (`build_data`); ready for JSON.stringify. */
export interface BuiltVertex {
  readonly id: string;
  /** False when it failed. */
  readonly valid: boolean;
  /** Why it failed; null when it did not. */
  readonly params: string | null;
  readonly data: {
    readonly results: unknown;
    readonly outputs: unknown;
    readonly logs: unknown;
    readonly messages: unknown;
    readonly duration: string;
  };
  readonly artifacts: unknown;
  /** When it ended, as ISO 8601. */
  readonly timestamp: string;
  readonly messages: unknown;
  /** The vertices that are skipped because of it. */
  readonly inactivated_vertices: readonly string[];
  /** The followers that can start now. */
  readonly next_vertices_ids: readonly string[];
  readonly top_level_vertices: readonly string[];
}
