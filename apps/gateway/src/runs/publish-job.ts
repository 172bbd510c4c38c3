import type { BrokerNames } from '@millrace/contracts';
import { jobMessage } from '@millrace/dispatch';
import type { JobOrder } from '@millrace/dispatch';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { injectTraceContext, machineTime } from '@millrace/service';
import { noExecutor } from './run-error';
import type { RunPool } from './run-error';

/**
 * Publishes a job to its lane. Resolves when the broker has confirmed it. Rejects with no_executor when the pool has no
 * queue, and with the bus's errors when it is unavailable. After an UnconfirmedError the job may be in the queue.
 */
export async function publishJob(
  bus: MessageBus,
  names: BrokerNames,
  order: Pick<JobOrder, 'job' | 'requestText' | 'replyTo'> & Pick<RunPool, 'needsPython'>,
): Promise<void> {
  const { deadline, pool } = order.job;
  const { needsPython } = order;
  const headers: Record<string, string> = {};
  injectTraceContext(headers);
  const hasDeadline = deadline !== null && order.replyTo !== null;
  const expiration = hasDeadline ? { expirationMilliseconds: Math.max(1, deadline - machineTime()) } : {};
  try {
    await bus.publish(jobMessage(names, { ...order, ...expiration, headers }));
  } catch (error) {
    throw error instanceof UnroutableError ? noExecutor({ pool, needsPython }) : error;
  }
}
