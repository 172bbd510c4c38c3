import { named } from '@millrace/messages';

/** All states of a run. */
export const runStatuses = [
  'accepted',
  'queued',
  'running',
  'suspended',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'dead',
] as const;

export const runStatusSchema = named('RunStatus', { type: 'string', enum: runStatuses });
