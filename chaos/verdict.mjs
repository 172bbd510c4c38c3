/** Shorter runs need not have met everything that must be met sometimes. */
const LONG_MINUTES = 10;

/**
 * Reasons why a report is no proof that all holds; none when it is. Limits on times do not count: they are the
 * machine's, too.
 */
export function reasonsAgainst({ invariants, limits, sometimes, strikes }, { minutes, isMixed }) {
  const reasons = invariants
    .filter(({ found, isTiming }) => found.length > 0 && isTiming !== true)
    .map(({ id, promise, found }) => `${id} ${promise}: ${found.length}`);
  for (const { what, holds, isTiming } of limits) if (!holds && isTiming !== true) reasons.push(what);
  for (const { id, missed, recovery } of strikes) {
    if (missed !== undefined) reasons.push(`${id} missed`);
    if (Object.values(recovery).includes(null)) reasons.push(`I12 no recovery from ${id}`);
  }
  if (strikes.length === 0) reasons.push('void: no fault struck');
  if (isMixed && minutes >= LONG_MINUTES)
    for (const { what, count } of sometimes) if (count === 0) reasons.push(`void: never ${what}`);
  return reasons;
}
