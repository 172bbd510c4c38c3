/** All states of a run. */
export const runStatuses = [
  'accepted',
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'dead',
] as const;
