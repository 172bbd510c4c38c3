import { setTimeout as wait } from 'node:timers/promises';

/** Waits; rejects with what ended the run when it ends before. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
