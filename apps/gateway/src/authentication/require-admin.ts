import { HttpError } from '@millrace/http';
import type { UserStore } from '@millrace/runs';
import type { KeyedCall } from '../http/routing/route';

/** Refuses users who are not admins, even if their key has the scope `admin`. Throws permission_denied. */
export async function requireAdmin(
  users: Pick<UserStore, 'find'>,
  { principal }: Pick<KeyedCall, 'principal'>,
  denied = 'Permission denied',
): Promise<void> {
  const user = await users.find(principal.userId);
  if (!user?.isAdmin) throw new HttpError('permission_denied', denied);
}
