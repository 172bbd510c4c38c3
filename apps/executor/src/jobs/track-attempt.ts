import type { AbortReason, RunningAttempt, RunningAttempts } from './running-attempts';

/** Registers an attempt as in flight while `work` runs, so that cancellations and heartbeats reach it. */
export async function trackAttempt<T>(
  running: RunningAttempts,
  identity: Pick<RunningAttempt, 'runId' | 'attempt' | 'durable'>,
  work: (signal: AbortSignal, abort: (reason: AbortReason) => void) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const attempt: RunningAttempt = { ...identity, abort };
  running.add(attempt);
  try {
    return await work(abort.signal, (reason) => abort.abort(reason));
  } finally {
    running.remove(attempt);
  }
}
