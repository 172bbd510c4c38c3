/** A user, who owns flows, keys, variables and runs. */
export interface UserRecord {
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  /** False while an admin has deactivated the user: their keys and sessions are refused. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
  /** A text that clients choose; nothing here shows it. */
  readonly profileImage: string | null;
  /** What clients store there; nothing here reads it. */
  readonly optins: unknown;
  /** The user's default project, Langflow's `folder_id`. Never changes. */
  readonly folderId: string;
}
