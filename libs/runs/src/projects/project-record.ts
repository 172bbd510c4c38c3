/** A project of a user, Langflow's folder. */
export interface ProjectRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string | null;
  readonly parentId: string | null;
  /** Whether it is the project of flows that name none. */
  readonly isDefault: boolean;
}

/** A project to store. */
export interface NewProject {
  /** A new one when absent. */
  readonly id?: string;
  readonly name: string;
  readonly description?: string | null;
}

/** The members to change; absent ones stay unchanged. */
export interface ProjectChanges {
  readonly name?: string;
  readonly description?: string;
  readonly parentId?: string;
}
