import type { AuditLog, UserStore } from '@millrace/runs';

/** Who is asked for the author of a flow. */
export interface AuthorSources {
  readonly audit: Pick<AuditLog, 'list'>;
  readonly users: Pick<UserStore, 'find'>;
}

const CHANGES = ['flow.created', 'flow.updated', 'flow.code_accepted', 'flow.version_activated'];

/** Resolves to who changed a flow last, which can be a member of its project: of the audit log, else the owner. */
export async function lastAuthor(
  { audit, users }: AuthorSources,
  owner: string,
  flowId: string,
): Promise<{ readonly id: string; readonly username: string | null }> {
  const [entry] = await audit.list({ objectId: flowId, actions: CHANGES, limit: 1 });
  if (entry && entry.userId !== null) return { id: entry.userId, username: entry.username };
  return { id: owner, username: (await users.find(owner))?.username ?? null };
}
