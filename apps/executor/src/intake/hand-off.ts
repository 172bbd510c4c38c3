import type { BrokerNames } from '@millrace/messages';
import { jobMessage } from '@millrace/dispatch';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { DeliveredJob } from './read-job';

export interface HandOffDependencies {
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly names: BrokerNames;
  readonly worker: string;
  readonly logger: Logger;
}

/**
 * Hands a run off while this process stops: publishes its job again, marked with this worker, so that the next executor
 * can claim the run at once and the lost attempt does not count. Resolves to false when that fails. Never rejects.
 */
export async function handOff(
  { bus, names, worker, logger }: HandOffDependencies,
  { job, delivery: { replyTo } }: DeliveredJob,
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
