import type { Verdict } from '@millrace/messaging';
import type { RunningAttempt, RunningAttempts } from './running-attempts';

/** Keeps an attempt among those in hand while `work` runs; cancels and heartbeats reach it there. */
export async function holdAttempt(
  running: RunningAttempts,
  place: Pick<RunningAttempt, 'runId' | 'attempt' | 'durable'>,
  work: (signal: AbortSignal) => Promise<Verdict>,
): Promise<Verdict> {
  const abort = new AbortController();
  let settle: (verdict: Verdict) => void = () => undefined;
  const finished = new Promise<Verdict>((resolve) => {
    settle = resolve;
  });
  const attempt: RunningAttempt = { ...place, abort, finished };
  running.add(attempt);
  let verdict: Verdict = 'retry';
  try {
    verdict = await work(abort.signal);
    return verdict;
  } finally {
    running.remove(attempt);
    settle(verdict);
  }
}
