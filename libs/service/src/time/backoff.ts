export interface BackoffOptions {
  readonly initialMilliseconds: number;
  readonly maximumMilliseconds: number;
  /** 0 for the delay after the first failure. */
  readonly attempt: number;
  /** Returns a number from 0 up to 1, like Math.random. */
  readonly random?: () => number;
}

/**
 * Returns the delay before the next try: doubles with each attempt up to the maximum, with jitter over the upper half,
 * so that clients that failed together do not retry together.
 */
export function backoff({
  initialMilliseconds,
  maximumMilliseconds,
  attempt,
  random = Math.random,
}: BackoffOptions): number {
  const span = Math.min(maximumMilliseconds, initialMilliseconds * 2 ** Math.min(attempt, 50));
  return Math.round(span / 2 + (span / 2) * random());
}
