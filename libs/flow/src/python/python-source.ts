/** What computes a vertex in Python: the author's text, or a class of the installed lfx. */
export type PythonSource =
  | {
      /** 64 lower-case hex digits: the SHA-256 of the text in UTF-8. */
      readonly sha256: string;
      readonly text: string;
    }
  | {
      /** Such as `lfx.components.arxiv.arxiv.ArXivComponent`. */
      readonly module: string;
    };

/** A vertex without a native component that can run in Python, or could with another policy or environment. */
export interface PythonVertex {
  /** Null for a stock component when no environment is known. */
  readonly source: PythonSource | null;
  /**
   * `off` and `no_environment` as in the policy; `missing_modules` when the text imports what is not installed;
   * `executes_code` when a stock class executes code that no approval covers.
   */
  readonly state: 'off' | 'no_environment' | 'missing_modules' | 'executes_code' | 'ready';
  /** Top-level modules that the text imports and that are not installed. */
  readonly missingModules: readonly string[];
}
