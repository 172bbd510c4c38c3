import { failureText } from './run-rows';

// Times are SQL expressions: only the database's clock counts.

/** How long a lease lasts without renewal before another worker can claim the run. */
export const LEASE = `interval '15 seconds'`;

/** When the sweeper first inspects an accepted run. */
export const ACCEPTED_GRACE = `interval '5 seconds'`;

/** How long a run stays queued before the sweeper suspects that its message was lost. */
export const QUEUED_GRACE = `interval '60 seconds'`;

/** How long after its caller's deadline a run without a durable row can still be recorded. */
export const RECORD_GRACE = `interval '30 seconds'`;

/** Released background runs: queued, running or between two attempts. Must match the index predicate literally. */
export const RELEASED = `runs.lane = 'background' AND runs.next_sweep_at < 'infinity'`;

/** Released runs that no executor has begun. */
export const PUBLISHED = `${RELEASED} AND runs.status <> 'running'`;

/** Backlog runs: not yet released, so neither the sweeper nor a broker has them. */
export const IN_BACKLOG = `runs.next_sweep_at = 'infinity'`;

/**
 * Runs that wait for their next attempt. The sweeper publishes its message after the wait, so any message that arrives before is
 * of an earlier attempt.
 */
export const WAITS_FOR_ATTEMPT = `(runs.status = 'accepted' AND runs.attempt > 0 AND runs.sweeps = 0
  AND runs.next_sweep_at > now())`;

/** Failure of a run that was cancelled before or between its attempts. */
export const CANCELLED = failureText('cancelled', 'The run was cancelled.');

/** Failure of a run that used up its attempts. */
export const EXHAUSTED = failureText(
  'attempts_exhausted',
  'The run was given up: each of its attempts ended without a result.',
);

/** Failure of a suspended run whose request has an end and no fallback. */
export const NOT_ANSWERED = failureText(
  'not_answered',
  'The request for human input was not answered in its time.',
);

/** Failure of a run whose caller's deadline passed while it was not running. */
export const OVERDUE = failureText('deadline_exceeded', 'The run did not end before its deadline.');
