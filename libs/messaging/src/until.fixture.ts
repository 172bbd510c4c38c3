import { setTimeout as pause } from 'node:timers/promises';

const CHECK_INTERVAL_MILLISECONDS = 5;

/** Resolves when the condition holds; rejects at the timeout with a description of the condition. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMilliseconds = 10_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMilliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`waited ${timeoutMilliseconds} ms without success: ${what}`);
    await pause(CHECK_INTERVAL_MILLISECONDS);
  }
}
