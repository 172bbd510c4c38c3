import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '@millrace/messaging';
import { backoff } from '@millrace/service';
import type { ExecutorParts } from './executor-parts';
import { patientCommit } from './patient-commit';

const PATIENCE_MILLISECONDS = 60_000;
const OUTAGE_PAUSE = { initialMilliseconds: 500, maximumMilliseconds: 30_000 };

/** Gives a claimed run back to the queue, by the sweeper where its message is gone; the attempt does not count. */
export async function release(parts: ExecutorParts, runId: string, attempt: number): Promise<Verdict> {
  const { runs, logger, leaving, inHand } = parts;
  const isMessageGone = inHand.isSettled(runId);
  const what = 'giving a run back';
  await patientCommit({ patienceMilliseconds: PATIENCE_MILLISECONDS, logger, what, leaving }, () =>
    runs.release([{ runId, attempt, isMessageGone }]),
  );
  return 'retry';
}

/** What is tried again at once meets the same outage, and ten attempts are gone in seconds. */
export async function releaseAfterOutage(
  parts: ExecutorParts,
  runId: string,
  attempt: number,
): Promise<Verdict> {
  const verdict = await release(parts, runId, attempt);
  const pause = backoff({ ...OUTAGE_PAUSE, attempt: attempt - 1 });
  await sleep(pause, undefined, { signal: parts.draining }).catch(() => undefined);
  return verdict;
}

/** Whoever asks for a run that was taken from it lives: its attempt did not end by the run's doing, and does not count. */
export async function showAlive(
  { runs, worker, logger }: ExecutorParts,
  runId: string,
  attempt: number,
): Promise<void> {
  await runs
    .heartbeat(worker, [{ runId, attempt }])
    .catch((error: unknown) => logger.warn({ error, runId }, 'an attempt that was taken over will count'));
}
