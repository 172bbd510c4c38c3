import type { Job } from '@millrace/contracts';
import type { Verdict } from '@millrace/messaging';
import { answerWithoutRunning } from './answer-without-running';
import type { ExecutorParts } from '../executor-parts';
import { wholeRunFailure } from './run-failure';

/**
 * Refuses a run without a row whose deadline passed before its start: logs it and answers its caller. Never rejects.
 */
export async function refuseLateRun(
  parts: ExecutorParts,
  { job, replyTo }: { readonly job: Job; readonly replyTo: string | undefined },
  lateMilliseconds: number,
): Promise<Verdict> {
  const { runId, flowId, userId, requestId } = job;
  const fields = { runId, flowId, userId, requestId, lateMilliseconds: Math.round(lateMilliseconds) };
  parts.logger.warn(fields, 'a run was not started: its deadline had passed');
  const failure = wholeRunFailure('deadline_exceeded', 'The run did not start before its deadline.');
  await answerWithoutRunning(parts, { runId, replyTo }, 'timed_out', JSON.stringify(failure));
  parts.count(job, 'timed_out', 0);
  return 'done';
}
