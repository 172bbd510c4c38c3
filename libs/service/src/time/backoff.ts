export interface BackoffOptions {
  readonly initialMilliseconds: number;
  readonly maximumMilliseconds: number;
  /** 0 for the wait after the first failure. */
  readonly attempt: number;
  /** A number from 0 up to 1, as Math.random gives. */
  readonly random?: () => number;
}

/**
 * How long to wait before trying again: doubles with each attempt up to the maximum, and lies at random in the upper
 * half of that span, so that clients that failed together do not come back together.
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
