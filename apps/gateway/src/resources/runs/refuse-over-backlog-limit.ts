import { HttpError } from '@millrace/http';
import type { UserBacklogs } from '@millrace/runs';

/** Throws too_many_waiting when no more runs of a user may wait. */
export function refuseOverBacklogLimit(backlogs: UserBacklogs, userId: string): void {
  const refusal = backlogs.refusal(userId);
  if (refusal === null) return;
  const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
  throw new HttpError('too_many_waiting', refusal.text, { headers });
}
