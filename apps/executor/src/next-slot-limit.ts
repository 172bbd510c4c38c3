/** How many runs to take in at a time. */
export interface SlotLimit {
  readonly limit: number;
  /** How many there may be at most. */
  readonly size: number;
  readonly lagMilliseconds: number;
  readonly maximumLagMilliseconds: number;
}

/** Half as many after a second that was too late, a quarter more after one that was well on time. */
export function nextSlotLimit({ limit, size, lagMilliseconds, maximumLagMilliseconds }: SlotLimit): number {
  if (lagMilliseconds > maximumLagMilliseconds) return Math.max(1, Math.floor(limit / 2));
  if (lagMilliseconds > maximumLagMilliseconds / 2) return limit;
  return Math.min(size, Math.ceil(limit * 1.25));
}
