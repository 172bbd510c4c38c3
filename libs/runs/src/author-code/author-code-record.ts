/** Whether a text can run: `waiting` until an admin decides. */
export type AuthorCodeStatus = 'waiting' | 'approved' | 'refused';

export const authorCodeStatuses: readonly AuthorCodeStatus[] = ['waiting', 'approved', 'refused'];

/** A Python text that an author wrote into a flow, without the text itself. */
export interface AuthorCodeRecord {
  /** 64 lower-case hex digits: the SHA-256 of the text in UTF-8. */
  readonly sha256: string;
  readonly status: AuthorCodeStatus;
  /** The type of the first node that contained the text; null when an admin decided before any flow contained it. */
  readonly componentType: string | null;
  /** The size of the text in UTF-8; null when no flow has contained it. */
  readonly bytes: number | null;
  /** The user whose flow contained the text first; null as above, and when the user was deleted. */
  readonly submittedBy: string | null;
  readonly submittedAt: Date | null;
  /** The admin who decided; null while it waits, and when the admin was deleted. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

/** A text of a flow that was uploaded. */
export interface SubmittedCode {
  readonly sha256: string;
  readonly code: string;
  readonly componentType: string;
}
