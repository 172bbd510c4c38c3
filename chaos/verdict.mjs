/** @import { Report } from './run-chaos.mjs' */

/** Shorter chaos runs, and those of chosen faults, do not have to observe every event of the `sometimes` list. */
const LONG_MINUTES = 10;

/**
 * Returns the reasons why the verdict is `broken` (an invariant or a limit) or void (not enough was tested); none when it is
 * `held`. Limits on times do not count, because they also depend on the machine.
 * @param {Pick<Report, 'invariants' | 'limits' | 'sometimes' | 'injections'>} report
 * @param {{ readonly minutes: number, readonly hasAllFaults: boolean }} options
 */
export function reasonsAgainst({ invariants, limits, sometimes, injections }, { minutes, hasAllFaults }) {
  const reasons = invariants
    .filter(({ found, isTiming }) => found.length > 0 && isTiming !== true)
    .map(({ id, promise, found }) => `${id} ${promise}: ${found.length}`);
  for (const { what, holds, isTiming } of limits) if (!holds && isTiming !== true) reasons.push(what);
  for (const { id, missed, recovery } of injections) {
    if (missed !== undefined) reasons.push(`${id} missed`);
    if (Object.values(recovery).includes(null)) reasons.push(`I12 no recovery from ${id}`);
  }
  if (injections.length === 0) reasons.push('void: no fault was injected');
  if (hasAllFaults && minutes >= LONG_MINUTES)
    for (const { what, count } of sometimes) if (count === 0) reasons.push(`void: did not observe ${what}`);
  return reasons;
}
