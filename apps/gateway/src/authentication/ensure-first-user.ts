import { hashApiKey, systemActor } from '@millrace/runs';
import type { ApiKeyStore, AuditLog, UserRecord, UserStore } from '@millrace/runs';
import { SettingsError } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { keyCreated, userCreated } from './audit-events';

/** Long enough that a random key cannot be guessed, and short enough for a header. */
const STRONG_KEY = /^sk-[\x21-\x7e]{21,509}$/;
const KEY_REQUIREMENT = 'must begin with sk- and have 24 to 512 visible ASCII characters';

export interface FirstUserOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditLog;
  /** A key chosen by the operator. */
  readonly bootstrapKey: string | undefined;
  readonly logger: Logger;
}

/**
 * Creates the first user, an admin, and the key that the operator chose for it. Safe when several processes start at
 * once. Throws SettingsError when the key does not exist yet and is too weak to be created. Logs a warning when a weak
 * key exists.
 */
export async function ensureFirstUser(options: FirstUserOptions): Promise<UserRecord> {
  const { users, apiKeys, audit, bootstrapKey: key, logger } = options;
  if (key !== undefined && !STRONG_KEY.test(key)) {
    if (!(await apiKeys.isStored(hashApiKey(key))))
      throw new SettingsError([`MILLRACE_BOOTSTRAP_API_KEY ${KEY_REQUIREMENT}`]);
    logger.warn({}, `MILLRACE_BOOTSTRAP_API_KEY is weak: a new key ${KEY_REQUIREMENT}`);
  }
  return audit.change(systemActor, async (change) => {
    const { user, isNew } = await users.within(change).makeFirst();
    if (isNew) change.note(userCreated(user));
    if (key === undefined) return user;
    const created = await apiKeys.within(change).create(user.id, { name: 'bootstrap', expiresAt: null, key });
    if (created.isNew) change.note(keyCreated(created.record));
    return user;
  });
}
