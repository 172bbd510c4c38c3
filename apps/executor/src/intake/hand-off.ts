import type { Job } from '@millrace/contracts';
import { jobMessage } from '@millrace/dispatch';
import type { Delivery } from '@millrace/messaging';
import type { ExecutorParts } from '../executor-parts';

/**
 * Hands a run off while this process stops: publishes its job again, marked with this worker, so that the next executor
 * can claim the run at once and the lost attempt does not count. Resolves to false when that fails. Never rejects.
 */
export async function handOff(
  { bus, names, worker, logger }: ExecutorParts,
  job: Job,
  { replyTo }: Delivery,
  error?: unknown,
): Promise<boolean> {
  const { runId } = job;
  if (!job.durable) return false;
  logger.warn({ error, runId }, 'a run could not be released in time; handing it off');
  try {
    const { request, ...envelope } = job;
    const requestText = request === null ? null : JSON.stringify(request);
    await bus.publish(
      jobMessage(names, { job: { ...envelope, leftBy: worker }, requestText, replyTo: replyTo ?? null }),
    );
    return true;
  } catch (failure) {
    logger.warn(
      { error: failure, runId },
      'hand-off failed; redelivery or lease expiry will recover the run',
    );
    return false;
  }
}
