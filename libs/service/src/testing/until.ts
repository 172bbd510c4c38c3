import { setTimeout as pause } from 'node:timers/promises';

/** A deadline for a hang: a busy machine is slow. A wait can ask for more, and not for less. */
const TIMEOUT_MILLISECONDS = 120_000;

/** Resolves when the condition holds; rejects at the timeout with `what`, or else with the source of the condition. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = String(condition),
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): Promise<void> {
  const milliseconds = Math.max(timeoutMilliseconds, TIMEOUT_MILLISECONDS);
  const giveUpAt = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`gave up after ${milliseconds} ms: ${what}`);
    await pause(5);
  }
}

/** Repeats the work until it succeeds, and resolves to its result; rejects with its last error at the timeout. */
export async function untilSuccess<Result>(
  work: () => Promise<Result>,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): Promise<Result> {
  const giveUpAt = performance.now() + Math.max(timeoutMilliseconds, TIMEOUT_MILLISECONDS);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await pause(50);
  }
}
