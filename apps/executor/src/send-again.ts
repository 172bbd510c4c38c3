import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';
import type { ExecutorParts } from './executor-parts';

/** Returns to a background lane after which its message is held no longer than it must be; after five it is poison. */
const RETURNS_UNTIL_WORN = 3;

/**
 * Whether a message is about to count as poison, though it may be its connections that were cut again and again. Only
 * runs that have a row can do without their message.
 */
export function isWorn({ durable }: Job, { headers }: Delivery, isQuarantined: boolean): boolean {
  return durable && (isQuarantined || Number(headers['x-delivery-count'] ?? 0) >= RETURNS_UNTIL_WORN);
}

/** Sends a job to its lane as a new message. What fails here is made good by the sweeper, later. Never rejects. */
export async function publishAgain(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
  error?: unknown,
): Promise<void> {
  const { runId } = job;
  if (error !== undefined)
    parts.logger.error({ error, runId }, 'a run could not be handled and goes back to its queue');
  await publishInstead(parts, job, delivery);
}

/**
 * Tells whoever takes the run next that this process, which stops, has nothing to do with it any more: its attempt
 * ended by no doing of the run's. False when nobody could be told. Never rejects.
 */
export async function leaveToOthers(
  parts: ExecutorParts,
  job: Job,
  delivery: Delivery,
  error?: unknown,
): Promise<boolean> {
  const { logger, worker } = parts;
  if (!job.durable) return false;
  logger.warn({ error, runId: job.runId }, 'a run could not be given back in time and is left to others');
  return publishInstead(parts, { ...job, leftBy: worker }, delivery);
}

async function publishInstead(
  { bus, names, logger }: ExecutorParts,
  job: Job,
  { messageId, replyTo }: Delivery,
): Promise<boolean> {
  const { runId, lane, pool } = job;
  try {
    await bus.publish({
      exchange: names.runsExchange,
      routingKey: names.routingKey(lane, pool),
      body: Buffer.from(JSON.stringify(job)),
      persistent: lane === 'background',
      mandatory: true,
      correlationId: runId,
      ...(messageId !== undefined && { messageId }),
      ...(replyTo !== undefined && { replyTo }),
    });
    return true;
  } catch (failure) {
    logger.warn(
      { error: failure, runId },
      'a run could not go back to its queue; the sweeper sends it later',
    );
    return false;
  }
}
