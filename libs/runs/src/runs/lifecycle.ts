import { failureText } from './run-rows';

// Times are SQL: only the database's clock decides.

/** How long a worker may be silent before its run is somebody else's. */
export const LEASE = `interval '15 seconds'`;

/** When the sweeper first looks at a run that was accepted. */
export const ACCEPTED_GRACE = `interval '5 seconds'`;

/** How long a queued run waits before its queue is suspected. */
export const QUEUED_GRACE = `interval '60 seconds'`;

/** How long past its caller's deadline a run without a durable row may take to be recorded. */
export const RECORD_GRACE = `interval '30 seconds'`;

/** Background runs that are queued, running or between two attempts. As the index has it, word for word. */
export const ON_THEIR_WAY = `runs.lane = 'background' AND runs.next_sweep_at < 'infinity'`;

/** Of those, what no executor has begun. */
export const AHEAD = `${ON_THEIR_WAY} AND runs.status <> 'running'`;

/** Runs that wait for their turn: neither the sweeper nor a broker knows them yet. */
export const WAITING = `runs.next_sweep_at = 'infinity'`;

/** What a run that was cancelled before or between its attempts says. */
export const CANCELLED = failureText('cancelled', 'The run was cancelled.');

/** What a run that used up its attempts says. */
export const EXHAUSTED = failureText(
  'attempts_exhausted',
  'The run was given up: each of its attempts ended without a result.',
);

/** What a run says whose caller's deadline passed while nobody ran it. */
export const OVERDUE = failureText('deadline_exceeded', 'The run had not ended when its time was over.');
