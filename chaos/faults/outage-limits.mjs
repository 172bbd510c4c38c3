/** @import { FaultOutcome, Limit } from '../fault.ts' */

/**
 * Returns the limits for outages of the broker.
 * @param {Pick<FaultOutcome<unknown>, 'figures' | 'recovery'>} outcome
 * @returns {Limit[]}
 */
export function outageLimits({ figures, recovery }) {
  return [
    { what: 'webhooks not accepted (%)', limit: 1, value: figures.webhooks.refusedPercent },
    { what: '503 without Retry-After', limit: 0, value: figures.unavailableWithoutRetryAfter },
    { what: 'callers without an answer in time', limit: 0, value: figures.hung },
    {
      what: 'backlog empty after (ms)',
      limit: 30_000,
      value: recovery.backlogEmptyMilliseconds,
      isTiming: true,
    },
  ];
}
