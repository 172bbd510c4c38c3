/** A stored file of the run's user. */
export interface RunFile {
  /** What flows and callers name it by: the flow's or the user's id, a slash, the full name. */
  readonly path: string;
  /** With its extension. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** The files of the run's user: what was uploaded, and what flows have saved. */
export interface RunFiles {
  /** Null for unknown files and for somebody else's alike. */
  find(path: string): Promise<RunFile | null>;
  /** The user's files, and those of the run's flow, oldest first. */
  list(): Promise<readonly RunFile[]>;
  /** The whole content. Throws a ComponentError when the file is larger than `maximumBytes`. */
  read(file: RunFile, maximumBytes: number): Promise<Buffer>;
  /** Stores a file of the user's under this name, in place of one that has it; gives its path. */
  save(name: string, content: Buffer): Promise<RunFile>;
}
