/** What the Python of an installation contains. */
export interface PythonEnvironment {
  /** Such as `3.11.7`. */
  readonly python: string;
  /** The version of lfx. */
  readonly lfx: string;
  /** The class of each stock component, such as `lfx.components.arxiv.arxiv.ArXivComponent`, by type. */
  readonly components: ReadonlyMap<string, string>;
  /** The names of the top-level modules that a text can import. */
  readonly modules: ReadonlySet<string>;
}

/** How an installation handles vertices that have no native component. */
export interface PythonPolicy {
  /** `approved` runs approved texts, and stock classes that execute no code of their own; `all` runs everything. */
  readonly mode: 'off' | 'approved' | 'all';
  /** Null when no executor has announced one. */
  readonly environment: PythonEnvironment | null;
}

/** Refuses every vertex that needs Python. */
export const noPython: PythonPolicy = { mode: 'off', environment: null };
