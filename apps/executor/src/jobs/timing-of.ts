import type { EndedAttempt, GrantedAttempt } from './job-policy';

/**
 * Returns where the time of a run went, as the header of its reply: the milliseconds before its attempt, then those of
 * its slowest vertex and the id of that. Null when the attempt was not recorded.
 */
export function timingOf({ granted, startedAt, outcome }: EndedAttempt<GrantedAttempt>): string | null {
  const slowest = outcome.record?.slowest;
  if (!slowest) return null;
  const waited = Math.max(0, startedAt - granted.acceptedAt.getTime());
  return `${waited.toFixed(1)} ${slowest.milliseconds.toFixed(1)} ${slowest.vertexId}`;
}
