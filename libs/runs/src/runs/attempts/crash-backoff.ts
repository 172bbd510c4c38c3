// SQL on a row of `runs`. An attempt counts here when it was lost with its executor: not given back, handed off, or retried by
// the rule of its flow.
const LOST_BEFORE = `(runs.attempt - runs.free_attempts - runs.retries)`;

/**
 * Whether a run waits before the attempt that follows a lost one. The first lost attempt is repeated at once. A run of the
 * interactive lane never waits, since its caller does.
 */
export const BACKS_OFF = `(runs.lane = 'background' AND ${LOST_BEFORE} >= 2)`;

/**
 * The wait: 10 s, doubled for each further lost attempt, at most 5 minutes. Up to half of it is left out at random, so that
 * runs that were lost together do not begin together.
 */
export const CRASH_BACKOFF = `(1 - random() / 2)
  * least(interval '10 seconds' * power(2, least(${LOST_BEFORE} - 2, 10)), interval '5 minutes')`;

/** Milliseconds until the wait of the row is over. */
export const UNTIL_NEXT_SWEEP = `ceil(extract(epoch FROM runs.next_sweep_at - now()) * 1000)::int`;
