import type { ApiKeyStore, AuditLog } from '@millrace/runs';
import { hashApiKey, newApiKey } from '@millrace/runs';
import { createKey } from './create-key';
import type { StoredApiKey } from './stored-api-key';

/** The API key that can be used after a start. */
export type StartKey =
  /** Stored in a file of the data folder. `shown` is its text on the start that created it. */
  | { readonly kind: 'kept'; readonly file: string; readonly shown: string | null }
  /** Set by MILLRACE_BOOTSTRAP_API_KEY; it is not stored in a file. */
  | { readonly kind: 'given' }
  /** The stored key is no longer valid. */
  | { readonly kind: 'refused' }
  /**
   * Keys exist, but none is stored: the data folder predates stored keys, or its first key was set by the environment.
   */
  | { readonly kind: 'unknown' };

export interface StartKeyOptions {
  readonly apiKeys: ApiKeyStore;
  readonly audit: AuditLog;
  readonly userId: string;
  readonly kept: StoredApiKey;
  /** Whether MILLRACE_BOOTSTRAP_API_KEY is set. */
  readonly isGiven: boolean;
  /** Whether to create a new key in any case. */
  readonly makeNew: boolean;
}

/**
 * Ensures that the owner of the data folder can look up a key: creates one when none exists or a new one is requested.
 * A key is written to its file before the database, so that a crash cannot leave a key without its file.
 */
export async function startKey({
  apiKeys,
  audit,
  userId,
  kept,
  isGiven,
  makeNew,
}: StartKeyOptions): Promise<StartKey> {
  const make = async (key: string) => {
    kept.store(key);
    await createKey({ apiKeys, audit }, userId, { name: 'kept in the data folder', expiresAt: null, key });
    return { kind: 'kept', file: kept.file, shown: key } as const;
  };
  if (makeNew) return make(newApiKey());
  if (isGiven) return { kind: 'given' };
  const key = kept.read();
  if (!(await apiKeys.anyExists())) {
    // A stored key belongs to an interrupted start or to another database in the same folder. Use it here, too, unless
    // it was deleted.
    return make(key === null || kept.isRefused ? newApiKey() : key);
  }
  if (key === null) return { kind: 'unknown' };
  const isRefused = (await apiKeys.resolve(hashApiKey(key))) === null;
  kept.markRefused({ isRefused });
  return isRefused ? { kind: 'refused' } : { kind: 'kept', file: kept.file, shown: null };
}
