/** A message of a session as it is stored. */
export interface MessageRow {
  readonly id: string;
  readonly flowId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly contextId: string;
  readonly runId: string | null;
  /** In milliseconds; messages of the same millisecond keep the order in which they were stored. */
  readonly timestamp: Date;
  readonly sender: string;
  readonly senderName: string;
  readonly text: string;
  readonly files: readonly string[];
  readonly error: boolean;
  readonly edit: boolean;
  readonly properties: object;
  readonly category: string;
  readonly contentBlocks: readonly unknown[];
  readonly duration: number | null;
  readonly sessionMetadata: object | null;
}

/** The fields of a message that its author can change; omitted fields stay unchanged. */
export type MessageChanges = Partial<
  Pick<
    MessageRow,
    | 'text'
    | 'sender'
    | 'senderName'
    | 'sessionId'
    | 'contextId'
    | 'files'
    | 'error'
    | 'edit'
    | 'properties'
    | 'category'
    | 'contentBlocks'
    | 'duration'
    | 'sessionMetadata'
  >
>;
