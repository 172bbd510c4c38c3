import { setTimeout as wait } from 'node:timers/promises';

/** Resolves after a delay; rejects with the reason of the signal when the run ends earlier. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
