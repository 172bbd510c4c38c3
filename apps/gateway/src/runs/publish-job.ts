import type { BrokerNames, Job } from '@millrace/contracts';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus, OutgoingMessage } from '@millrace/messaging';
import { injectTraceContext } from '@millrace/service';
import { noExecutor } from './pool-watch';

export interface JobOrder {
  readonly job: Omit<Job, 'schemaVersion' | 'request'>;
  /** The request as JSON; null when it is in the run's row or under a claim check. */
  readonly requestText: string | null;
  /** Reply queue of whoever waits or follows; null when nobody does. */
  readonly replyTo: string | null;
}

/**
 * Sends a job to its lane. Resolves when the broker has it. Rejects with no_executor when the pool has no queue, and
 * as the bus does when it takes nothing, or does not say (UnconfirmedError: then the job may be there).
 */
export async function publishJob(bus: MessageBus, names: BrokerNames, order: JobOrder): Promise<void> {
  try {
    await bus.publish(messageOf(names, order));
  } catch (error) {
    throw error instanceof UnroutableError ? noExecutor(order.job.pool) : error;
  }
}

function messageOf(names: BrokerNames, { job, requestText, replyTo }: JobOrder): OutgoingMessage {
  const headers: Record<string, string> = {};
  injectTraceContext(headers);
  const message = {
    exchange: names.runsExchange,
    routingKey: names.routingKey(job.lane, job.pool),
    body: Buffer.from(jobText(job, requestText)),
    persistent: job.lane === 'background',
    mandatory: true,
    ...(job.lane === 'interactive' ? { alternativeRoutingKey: names.standbyKey(job.pool) } : {}),
    messageId: job.runId,
    correlationId: job.runId,
    headers,
  };
  if (replyTo === null) return message;
  if (job.deadline === null) return { ...message, replyTo };
  return { ...message, replyTo, expirationMilliseconds: Math.max(1, job.deadline - Date.now()) };
}

/** The request is text already: it is put in its place instead of being parsed and written again. */
function jobText(job: JobOrder['job'], requestText: string | null): string {
  return `${JSON.stringify({ schemaVersion: 1, ...job }).slice(0, -1)},"request":${requestText ?? 'null'}}`;
}
