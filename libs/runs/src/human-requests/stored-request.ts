import type { HumanRequest } from '@millrace/flow';

/** A request for human input that waits, or has been answered. */
export interface StoredRequest extends HumanRequest {
  readonly runId: string;
  readonly userId: string;
  readonly flowId: string;
  readonly sessionId: string;
  readonly acceptedAt: Date;
  readonly pausedAt: Date;
  /** When its time is over; null: never. */
  readonly dueAt: Date | null;
  /** Null while the request waits. */
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  /** Names of the users who answer it, as the flow has them now, and ids of deleted ones; null or absent: the owner of the run. */
  readonly answeredBy?: readonly string[] | null;
  /** Whether the user that reads it can answer it; absent where no user does. */
  readonly mayAnswer?: boolean;
}
