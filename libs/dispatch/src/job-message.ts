import { JOB_VERSION } from '@millrace/messages';
import type { BrokerNames, Job } from '@millrace/messages';
import type { OutgoingMessage } from '@millrace/messaging';

export interface JobOrder {
  readonly job: Omit<Job, 'schemaVersion' | 'request'>;
  /** The request as JSON; null when it is in the run's row or under a payload reference. */
  readonly requestText: string | null;
  /** The queue for replies; null when no process waits for them. */
  readonly replyTo?: string | null;
  /** Survives a restart of the broker; by default only in lanes whose runs have rows. */
  readonly persistent?: boolean;
  /** How long the job is of use. */
  readonly expirationMilliseconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the message that asks an executor of the pool for an attempt of the run. An interactive job goes to the standby
 * lane while the interactive one cannot be reached.
 */
export function jobMessage(names: BrokerNames, order: JobOrder): OutgoingMessage {
  const { job, requestText, replyTo = null, expirationMilliseconds, headers = {} } = order;
  return {
    exchange: names.runsExchange,
    routingKey: names.routingKey(job.lane, job.pool),
    body: Buffer.from(jobText(job, requestText)),
    persistent: order.persistent ?? job.lane === 'background',
    mandatory: true,
    ...(job.lane === 'interactive' ? { alternativeRoutingKey: names.standbyKey(job.pool) } : {}),
    correlationId: job.runId,
    replyTo: replyTo ?? undefined,
    expirationMilliseconds,
    headers,
  };
}

/** The request is text already; it is inserted instead of being parsed and written again. */
function jobText(job: JobOrder['job'], requestText: string | null): string {
  return `${JSON.stringify({ schemaVersion: JOB_VERSION, ...job }).slice(0, -1)},"request":${requestText ?? 'null'}}`;
}
