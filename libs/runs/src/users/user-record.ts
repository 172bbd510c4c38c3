/** A user, who owns flows, keys, variables and runs. */
export interface UserRecord {
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  readonly createdAt: Date;
  /** The user's default project, Langflow's `folder_id`. Never changes. */
  readonly folderId: string;
}
