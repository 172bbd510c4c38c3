const FIRST_MILLISECONDS = 100;

/**
 * How long to wait before trying again: doubles from 100 ms up to the maximum, and is spread over the upper half of
 * that, so that processes that failed together do not return together. `attempt` counts from 0.
 */
export function backoffMilliseconds(attempt: number, maximumMilliseconds: number): number {
  const ceiling = Math.min(maximumMilliseconds, FIRST_MILLISECONDS * 2 ** Math.min(attempt, 16));
  return ceiling * (0.5 + Math.random() / 2);
}
