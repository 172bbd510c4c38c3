import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@millrace/messaging';
import { backoff } from '@millrace/service';
import type { ExecutorParts } from '../executor-parts';
import { retryDuringOutage } from '../records/retry-during-outage';

const OUTAGE_TIMEOUT_MILLISECONDS = 60_000;
const OUTAGE_PAUSE = { initialMilliseconds: 500, maximumMilliseconds: 30_000 };

/** Releases a claimed run; the sweeper publishes it if its message is already settled. The attempt does not count. */
export async function releaseRun(parts: ExecutorParts, runId: string, attempt: number): Promise<Verdict> {
  const { runs, logger, shutdownDeadline, inFlight } = parts;
  const isMessageLost = inFlight.isSettled(runId);
  const activity = 'releasing a run';
  await retryDuringOutage(
    { timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS, logger, activity, shutdownDeadline },
    () => runs.release([{ runId, attempt, isMessageLost }]),
  );
  return 'retry';
}

/** Releases the run, then pauses: immediate retries would meet the same outage and use up all attempts in seconds. */
export async function releaseAfterOutage(
  parts: ExecutorParts,
  runId: string,
  attempt: number,
): Promise<Verdict> {
  const verdict = await releaseRun(parts, runId, attempt);
  const pause = backoff({ ...OUTAGE_PAUSE, attempt: attempt - 1 });
  await sleep(pause, undefined, { signal: parts.draining }).catch(() => undefined);
  return verdict;
}

/**
 * Sends a heartbeat for a run that was taken over. It shows that this worker is alive, so that the lost attempt does
 * not count.
 */
export async function confirmAlive(
  { runs, worker, logger }: ExecutorParts,
  runId: string,
  attempt: number,
): Promise<void> {
  await runs
    .heartbeat(worker, [{ runId, attempt }])
    .catch((error: unknown) =>
      logger.warn(
        { error, runId },
        'could not confirm that this worker is alive; the attempt that was taken over will count',
      ),
    );
}
