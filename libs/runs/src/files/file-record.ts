/**
 * An uploaded file. Flows and callers refer to it by `path`: the id of the flow or the user, and the full file name.
 */
export interface FileRecord {
  readonly id: string;
  readonly userId: string;
  /** Null for a user's file that belongs to no flow. */
  readonly flowId: string | null;
  readonly name: string;
  /** With its dot; empty when the file has none. */
  readonly extension: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewFile {
  readonly userId: string;
  readonly flowId: string | null;
  /** The wanted name; a taken one gets a number: "letter", "letter (1)", "letter (2)". */
  readonly name: string;
  readonly extension: string;
  /** The run of a webhook without which the file is deleted; absent for a file that is kept in any case. */
  readonly awaitsRun?: string;
}

/** The columns of a FileRecord. */
export const FILE_COLUMNS = `id, user_id AS "userId", flow_id AS "flowId", name, extension, path,
  size_bytes AS "sizeBytes", created_at AS "createdAt", updated_at AS "updatedAt"`;
