/** What Langflow stores, with its ids. Times are UTC. */
export interface SourceUser {
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  readonly isActive: boolean;
  readonly createdAt: Date;
  /** The user's first project; null when the user has none. */
  readonly folderId: string | null;
}

export interface SourceFlow {
  readonly id: string;
  readonly userId: string;
  readonly updatedAt: Date;
  /** The flow as the HTTP interface writes it. */
  readonly body: Readonly<Record<string, unknown>> & { readonly name: string };
}

export interface SourceKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string | null;
  /** The key, encrypted or not; null when it cannot be read. */
  readonly storedKey: string | null;
  /** SHA-256, hexadecimal; null in rows of releases before 1.12. */
  readonly hash: string | null;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly totalUses: number;
  readonly expiresAt: Date | null;
}

export interface SourceVariable {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly type: string | null;
  /** The value, encrypted for credentials; null when it cannot be read. */
  readonly storedValue: string | null;
  readonly defaultFields: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface SourceFile {
  readonly userId: string;
  /** Null for a file that belongs to no flow. */
  readonly flowId: string | null;
  /** Name with extension, as the path has it. */
  readonly name: string;
  /** Opens the content. Rejects when it cannot be read. */
  readonly open: () => Promise<AsyncIterable<Buffer>>;
}

export interface SourceMessage {
  readonly id: string;
  /** Null for a message of no flow. */
  readonly flowId: string | null;
  readonly runId: string | null;
  readonly timestamp: Date;
  readonly sender: string;
  readonly senderName: string;
  readonly sessionId: string;
  readonly contextId: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly error: boolean;
  readonly edit: boolean;
  readonly properties: object;
  readonly category: string;
  readonly contentBlocks: readonly unknown[];
  readonly sessionMetadata: object | null;
}

/** A kind of records that Langflow stores and the migration does not copy, with their number. */
export interface UnmigratedRecords {
  /** The kind in plain words, such as `MCP servers`. */
  readonly what: string;
  readonly count: number;
}

/** A Langflow to read from, in pages: its size does not decide how much memory a migration needs. */
export interface LangflowSource {
  /** What is read, without passwords and keys. */
  readonly title: string;
  /** Whether stored keys and credentials can be read. */
  readonly hasSecrets: boolean;
  /** Number of rows by kind, for the progress; an estimate. */
  counts(): Promise<Readonly<Record<'flows' | 'messages', number>>>;
  users(): AsyncGenerator<SourceUser>;
  flows(): AsyncGenerator<SourceFlow>;
  keys(): AsyncGenerator<SourceKey>;
  variables(): AsyncGenerator<SourceVariable>;
  files(): AsyncGenerator<SourceFile>;
  /** Pages of messages, by time. */
  messages(): AsyncGenerator<readonly SourceMessage[]>;
  /** Counts the records that the migration does not copy; leaves out kinds without a record. */
  unmigrated(): Promise<readonly UnmigratedRecords[]>;
  close(): Promise<void>;
}
