import type { ApiKeyStore } from '@millrace/runs';
import { hashApiKey, newApiKey } from '@millrace/runs';
import type { KeptKey } from './kept-key';

/** Which API key those who have just started the app can use. */
export type StartKey =
  /** The one in a file of the data folder. `shown` is its text on the start that made it. */
  | { readonly kind: 'kept'; readonly file: string; readonly shown: string | null }
  /** The one that the operator gave by MILLRACE_BOOTSTRAP_API_KEY; it is written nowhere. */
  | { readonly kind: 'given' }
  /** The kept one does not work any more. */
  | { readonly kind: 'refused' }
  /** There are keys, but none is kept: the data folder is older than that, or its first key was given. */
  | { readonly kind: 'unknown' };

export interface StartKeyOptions {
  readonly apiKeys: ApiKeyStore;
  readonly userId: string;
  readonly kept: KeptKey;
  /** Whether MILLRACE_BOOTSTRAP_API_KEY gives one. */
  readonly isGiven: boolean;
  /** Whether another key is wanted in any case. */
  readonly makeNew: boolean;
}

/**
 * Sees to it that there is a key that the owner of the data folder can look up: makes one when there is none at all, or
 * when another is wanted. A key is kept before the database knows it, so that no crash leaves one that is kept nowhere.
 */
export async function startKey({
  apiKeys,
  userId,
  kept,
  isGiven,
  makeNew,
}: StartKeyOptions): Promise<StartKey> {
  const make = async (key: string) => {
    kept.keep(key);
    await apiKeys.create(userId, { name: 'kept in the data folder', expiresAt: null, key });
    return { kind: 'kept', file: kept.file, shown: key } as const;
  };
  if (makeNew) return make(newApiKey());
  if (isGiven) return { kind: 'given' };
  const key = kept.read();
  if (!(await apiKeys.anyExists())) {
    // A kept key is that of a start that was interrupted, or of another database in the same folder. It may be used here,
    // too, unless somebody deleted it.
    return make(key === null || kept.isRefused ? newApiKey() : key);
  }
  if (key === null) return { kind: 'unknown' };
  const isRefused = (await apiKeys.resolve(hashApiKey(key))) === null;
  kept.mark({ isRefused });
  return isRefused ? { kind: 'refused' } : { kind: 'kept', file: kept.file, shown: null };
}
