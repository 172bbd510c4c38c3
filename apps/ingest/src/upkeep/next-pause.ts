/** Bounds of the pause between two rounds of releases while backlogs are not empty. */
export const MAXIMUM_PAUSE_MILLISECONDS = 100;
export const MINIMUM_PAUSE_MILLISECONDS = 10;

export interface ReleaseRound {
  /** Number of runs that the last round released. */
  readonly released: number;
  /** Maximum number of runs that are published and not yet started. */
  readonly limit: number;
  /** The pause before the last round. */
  readonly pauseMilliseconds: number;
}

/**
 * Returns the pause before the next round: half as long when so many runs were released that executors could soon be
 * idle, twice as long when few were. Each round costs the database the same, however many runs it releases.
 */
export function nextPause({ released, limit, pauseMilliseconds }: ReleaseRound): number {
  if (released >= limit / 2) return Math.max(MINIMUM_PAUSE_MILLISECONDS, pauseMilliseconds / 2);
  if (released >= limit / 4) return pauseMilliseconds;
  return Math.min(MAXIMUM_PAUSE_MILLISECONDS, pauseMilliseconds * 2);
}
