/** While runs wait for their turn, between one look at them and the next. */
export const LONGEST_PAUSE_MILLISECONDS = 100;
export const SHORTEST_PAUSE_MILLISECONDS = 10;

export interface LookedAt {
  /** How many runs were let go. */
  readonly gone: number;
  /** How many may be on their way to executors at a time. */
  readonly most: number;
  /** How long ago the look before was. */
  readonly pauseMilliseconds: number;
}

/**
 * Half as long when so many had gone that executors may soon have nothing to do, twice as long when few had: each look
 * costs the database the same, however many it lets go.
 */
export function nextPause({ gone, most, pauseMilliseconds }: LookedAt): number {
  if (gone >= most / 2) return Math.max(SHORTEST_PAUSE_MILLISECONDS, pauseMilliseconds / 2);
  if (gone >= most / 4) return pauseMilliseconds;
  return Math.min(LONGEST_PAUSE_MILLISECONDS, pauseMilliseconds * 2);
}
