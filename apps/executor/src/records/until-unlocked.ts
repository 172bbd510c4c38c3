import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, machineTime } from '@millrace/service';

const PAUSE = { initialMilliseconds: 100, maximumMilliseconds: 2_000 };

export interface UnlockedOptions {
  readonly timeoutMilliseconds: number;
  /** Fires when there is no time left for further tries. */
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Commits an item, and again after pauses while another session locks its row: `commit` then resolves to null. The pauses use no
 * connection and keep no other item waiting. `commit` receives true when an earlier try may have been committed. Resolves to null
 * when the row is still locked at the end.
 */
export async function untilUnlocked<Result>(
  { timeoutMilliseconds, shutdownDeadline }: UnlockedOptions,
  commit: (again: boolean) => Promise<Result | null>,
): Promise<Result | null> {
  const giveUpAt = machineTime() + timeoutMilliseconds;
  for (let attempt = 0; ; attempt += 1) {
    const result = await commit(attempt > 0);
    const pause = backoff({ ...PAUSE, attempt });
    if (result !== null || shutdownDeadline.aborted || machineTime() + pause > giveUpAt) return result;
    await sleep(pause, undefined, { signal: shutdownDeadline }).catch(() => undefined);
  }
}
