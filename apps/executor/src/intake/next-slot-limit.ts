/** The state that determines the next limit of concurrent runs. */
export interface SlotLimit {
  readonly limit: number;
  /** The configured maximum. */
  readonly size: number;
  readonly lagMilliseconds: number;
  readonly maximumLagMilliseconds: number;
}

/**
 * Returns the next limit: half of it when the lag was too high, a quarter more when the lag was at most half of the
 * maximum.
 */
export function nextSlotLimit({ limit, size, lagMilliseconds, maximumLagMilliseconds }: SlotLimit): number {
  if (lagMilliseconds > maximumLagMilliseconds) return Math.max(1, Math.floor(limit / 2));
  if (lagMilliseconds > maximumLagMilliseconds / 2) return limit;
  return Math.min(size, Math.ceil(limit * 1.25));
}
