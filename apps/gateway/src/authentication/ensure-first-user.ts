import { hashApiKey } from '@millrace/runs';
import type { ApiKeyStore, UserRecord, UserStore } from '@millrace/runs';
import { SettingsError } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** Long enough that a key made by a random generator cannot be guessed, and what a header can hold. */
const STRONG_KEY = /^sk-[\x21-\x7e]{21,509}$/;
const RULE = 'must begin with sk- and have 24 to 512 visible ASCII characters';

export interface FirstUserOptions {
  readonly users: UserStore;
  readonly apiKeys: ApiKeyStore;
  /** A key chosen by the operator. */
  readonly bootstrapKey: string | undefined;
  readonly logger: Logger;
}

/**
 * The first user, an admin, and the key the operator chose for it. Safe when several processes start at once. Throws
 * SettingsError when the key is not there yet and is too weak to be created; one that is there is only warned of.
 */
export async function ensureFirstUser(options: FirstUserOptions): Promise<UserRecord> {
  const { users, apiKeys, bootstrapKey: key, logger } = options;
  if (key !== undefined && !STRONG_KEY.test(key)) {
    if (!(await apiKeys.isStored(hashApiKey(key))))
      throw new SettingsError([`MILLRACE_BOOTSTRAP_API_KEY ${RULE}`]);
    logger.warn({}, `MILLRACE_BOOTSTRAP_API_KEY is weak: a new key ${RULE}`);
  }
  const user = await users.ensureFirst();
  if (key !== undefined) await apiKeys.create(user.id, { name: 'bootstrap', expiresAt: null, key });
  return user;
}
