import type { Job } from '@millrace/messages';
import { originOf } from '@millrace/dispatch';
import type { RunRequest } from '@millrace/flow';
import type { NewRun } from '@millrace/runs';
import type { GrantedAttempt } from './job-policy';

/** Maximum attempts of an interactive run; the last one runs with no other run in its process. */
export const MAXIMUM_ATTEMPTS = 3;

/** An attempt of a run whose caller waits. */
export interface InteractiveAttempt extends GrantedAttempt {
  readonly request: RunRequest;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly deadline: number;
}

/** Returns the row of an interactive run, which is written at its end, or before it is restarted. */
export function interactiveRow(
  job: Job,
  { request, traceparent }: Pick<InteractiveAttempt, 'request' | 'traceparent'>,
): NewRun {
  return {
    id: job.runId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    userId: job.userId,
    lane: 'interactive',
    pool: job.pool,
    origin: originOf(request),
    request,
    sessionId: request.sessionId,
    limitMilliseconds: Math.max(1, (job.deadline ?? job.acceptedAt) - job.acceptedAt),
    maximumAttempts: MAXIMUM_ATTEMPTS,
    traceparent,
    requestId: job.requestId ?? null,
  };
}
