import { uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { isLockTimeout } from '../../lock-timeout';
import { retryOnDeadlock } from '../../retry-on-deadlock';

const MAXIMUM_ROUNDS = 3;

const FIND_LOCKED = {
  name: 'runs-find-locked',
  text: `WITH free AS MATERIALIZED (SELECT id FROM runs WHERE id = ANY($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED)
    SELECT id FROM runs WHERE id = ANY($1::uuid[]) AND id NOT IN (SELECT id FROM free)`,
};

export interface UnlockedWork {
  readonly database: Database;
  /** True when some of the runs were locked before: these keep the others from waiting no second time. */
  readonly isRetry: boolean;
  /** Returns the runs to change; without those that were passed to `onLocked`. */
  pending(): readonly string[];
  onLocked(runId: string): void;
  /** Changes the pending runs, in statements with WAITS_BRIEFLY. Can be called again for those that are still pending. */
  change(): Promise<void>;
}

/** Changes runs of several users, except for those whose rows other sessions lock. */
export async function passLocked({
  database,
  isRetry,
  pending,
  onLocked,
  change,
}: UnlockedWork): Promise<void> {
  for (let round = isRetry ? 1 : 0; pending().length > 0; round += 1) {
    if (round > 0) {
      const { rows } = await database.query<{ id: string }>({
        ...FIND_LOCKED,
        values: [uuidArray(pending())],
      });
      for (const { id } of rows) onLocked(id);
    }
    try {
      return await retryOnDeadlock(change);
    } catch (error) {
      if (round >= MAXIMUM_ROUNDS || !isLockTimeout(error)) throw error;
    }
  }
}
