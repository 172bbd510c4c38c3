/** Who is told of each vertex of a run while it goes on. Where there is nobody, nothing is made for it. */
export interface VertexWatch {
  begins?(vertexId: string): void | Promise<void>;
  /** Awaited before what follows the vertex begins, unless a text of it is still being made. */
  ended(built: BuiltVertex): void | Promise<void>;
}

/** What is told of a vertex that has ended, in Langflow's shape (`build_data`); ready for JSON.stringify. */
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
  /** Those that do not run because of it. */
  readonly inactivated_vertices: readonly string[];
  /** Those that it was the last to hold up. */
  readonly next_vertices_ids: readonly string[];
  readonly top_level_vertices: readonly string[];
}
