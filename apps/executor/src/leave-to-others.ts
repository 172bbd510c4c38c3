import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';
import type { ExecutorParts } from './executor-parts';

/**
 * Tells whoever takes the run next that this process, which stops, has nothing to do with it any more: its attempt
 * ended by no doing of the run's. False when nobody could be told. Never rejects.
 */
export async function leaveToOthers(
  { bus, names, worker, logger }: ExecutorParts,
  job: Job,
  { messageId, replyTo }: Delivery,
  error?: unknown,
): Promise<boolean> {
  const { runId, lane, pool } = job;
  if (!job.durable) return false;
  logger.warn({ error, runId }, 'a run could not be given back in time and is left to others');
  try {
    await bus.publish({
      exchange: names.runsExchange,
      routingKey: names.routingKey(lane, pool),
      body: Buffer.from(JSON.stringify({ ...job, leftBy: worker } satisfies Job)),
      persistent: lane === 'background',
      mandatory: true,
      correlationId: runId,
      ...(messageId !== undefined && { messageId }),
      ...(replyTo !== undefined && { replyTo }),
    });
    return true;
  } catch (failure) {
    logger.warn({ error: failure, runId }, 'a run could not be left to others; its message or its lease is');
    return false;
  }
}
