/** More than any call takes, and few enough for sums of many calls. */
const MAXIMUM_TOKENS = 1_000_000_000_000;

/** Returns a count of tokens that a provider reports as a whole number; null where it is none. */
export function tokenCount(reported: number | null): number | null {
  if (reported === null || Number.isNaN(reported)) return null;
  return Math.round(Math.min(Math.max(reported, 0), MAXIMUM_TOKENS));
}
