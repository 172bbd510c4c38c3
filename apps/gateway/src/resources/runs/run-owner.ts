import type { Database } from '@millrace/database';
import { HttpError } from '@millrace/http';
import { readRunSummaries } from '@millrace/runs';
import type { RequestSeal, UserStore } from '@millrace/runs';
import { requireAdmin } from '../../authentication/require-admin';
import { booleanParameter } from '../../http/validation/query';
import type { KeyedCall } from '../../http/routing/route';
import { queryParameter } from '../../http/routing/operation';

export interface RunOwnerOptions {
  readonly users: Pick<UserStore, 'find'>;
  readonly database: Pick<Database, 'query'>;
  readonly seal: RequestSeal;
}

/** The documentation of the parameter that lets admins read the run of another user. */
export const ownerQuery = {
  all_users: queryParameter('boolean', 'Reads also a run of another user, for admins'),
};

/**
 * Resolves to the user whose run a caller may read: their own, or with `all_users` the owner of the run. Throws
 * permission_denied.
 */
export async function ownerOf(
  { users, database, seal }: RunOwnerOptions,
  call: Pick<KeyedCall, 'principal' | 'query'>,
  runId: string,
): Promise<string> {
  const { principal, query } = call;
  if (!booleanParameter(query, 'all_users', false)) return principal.userId;
  if (!principal.scopes.includes('admin')) throw new HttpError('permission_denied', 'Permission denied');
  await requireAdmin(users, call);
  const [run] = await readRunSummaries({ database, seal }, [runId]);
  return run?.userId ?? principal.userId;
}
