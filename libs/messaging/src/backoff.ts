const FIRST_MILLISECONDS = 100;

/**
 * Returns the delay before the next try: doubles from 100 ms up to the maximum, with jitter over the upper half, so
 * that processes that failed together do not retry together. `attempt` counts from 0.
 */
export function backoffMilliseconds(attempt: number, maximumMilliseconds: number): number {
  const ceiling = Math.min(maximumMilliseconds, FIRST_MILLISECONDS * 2 ** Math.min(attempt, 16));
  return ceiling * (0.5 + Math.random() / 2);
}
