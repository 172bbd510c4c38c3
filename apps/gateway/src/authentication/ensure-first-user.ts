import type { ApiKeyStore, UserRecord, UserStore } from '@millrace/runs';

export interface FirstUserOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  /** A key chosen by the operator. */
  readonly bootstrapKey: string | undefined;
}

/** The first user, an admin, and the key the operator chose for it. Safe when several processes start at once. */
export async function ensureFirstUser({
  users,
  apiKeys,
  bootstrapKey,
}: FirstUserOptions): Promise<UserRecord> {
  const user = await users.ensureFirst();
  if (bootstrapKey !== undefined) {
    await apiKeys.create(user.id, { name: 'bootstrap', expiresAt: null, key: bootstrapKey });
  }
  return user;
}
