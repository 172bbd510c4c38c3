/** A stored file of the run's user. */
export interface RunFile {
  /** The path that flows and callers use: the flow's or the user's id, a slash, the full name. */
  readonly path: string;
  /** The file name with its extension. */
  readonly name: string;
  readonly sizeBytes: number;
}

/** The files of the run's user: uploaded files and files that flows saved. */
export interface RunFiles {
  /** Returns a file; null for an unknown file and for a file of another user. */
  find(path: string): Promise<RunFile | null>;
  /** Returns the files of the user and of the run's flow, oldest first. */
  list(): Promise<readonly RunFile[]>;
  /** Returns the complete content. Throws a ComponentError when the file is larger than `maximumBytes`. */
  read(file: RunFile, maximumBytes: number): Promise<Buffer>;
  /** Stores a file of the user under this name, replacing an existing one; returns the file. */
  save(name: string, content: Buffer): Promise<RunFile>;
}
