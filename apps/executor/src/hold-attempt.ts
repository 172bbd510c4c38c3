import type { AbortReason, RunningAttempt, RunningAttempts } from './running-attempts';

/** Keeps an attempt among those in hand while `work` runs; cancels and heartbeats reach it there. */
export async function holdAttempt<T>(
  running: RunningAttempts,
  place: Pick<RunningAttempt, 'runId' | 'attempt' | 'durable'>,
  work: (signal: AbortSignal, abort: (reason: AbortReason) => void) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const attempt: RunningAttempt = { ...place, abort };
  running.add(attempt);
  try {
    return await work(abort.signal, (reason) => abort.abort(reason));
  } finally {
    running.remove(attempt);
  }
}
