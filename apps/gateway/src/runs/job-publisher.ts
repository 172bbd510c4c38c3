import type { BrokerNames } from '@millrace/messages';
import { jobMessage } from '@millrace/dispatch';
import type { JobOrder } from '@millrace/dispatch';
import { UnroutableError } from '@millrace/messaging';
import type { AfterTurn, MessageBus } from '@millrace/messaging';
import { injectTraceContext, machineTime, propagatesTraces } from '@millrace/service';
import type { AnnouncedPools } from './executor-pools';
import type { FairQueue } from './fair-queue';
import { openJobBatches } from './job-batches';
import type { JobBatches } from './job-batches';
import type { PendingRuns } from './pending-runs';
import { noExecutor } from './run-error';
import type { RunPool } from './run-error';

export interface JobPublisherOptions {
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly names: BrokerNames;
  readonly announced: Pick<AnnouncedPools, 'batchedJobs'>;
  readonly fairQueue: Pick<FairQueue, 'sent' | 'isFast'>;
  readonly pendingRuns: Pick<PendingRuns, 'find'>;
  /** Processes of the gateway, which are assumed to send alike. */
  readonly processes: number;
  /** Jobs and replies that are ready together share a message. */
  readonly batchesMessages: boolean;
  /** Replaces the end of a turn of the event loop, where jobs that are ready are sent; for tests. */
  readonly afterTurn?: AfterTurn;
}

export type GatewayJob = Pick<JobOrder, 'job' | 'requestText' | 'replyTo'> & Pick<RunPool, 'needsPython'>;

/** Publishes jobs to the lanes of their pools. */
export class JobPublisher {
  readonly #options: JobPublisherOptions;
  readonly #batches: JobBatches;

  constructor(options: JobPublisherOptions) {
    this.#options = options;
    this.#batches = openJobBatches({ ...options, onShared: (runIds) => this.#noteMessage(runIds) });
  }

  /**
   * Resolves when the broker has confirmed the job. Rejects with no_executor when the pool has no queue, and with the bus's
   * errors when it is unavailable. After an UnconfirmedError the job may be in the queue.
   */
  async publish(order: GatewayJob): Promise<void> {
    const { bus, names } = this.#options;
    const { deadline, pool } = order.job;
    const { needsPython } = order;
    const headers: Record<string, string> = {};
    injectTraceContext(headers);
    const hasDeadline = deadline !== null && order.replyTo !== null;
    const expiration = hasDeadline ? { expirationMilliseconds: Math.max(1, deadline - machineTime()) } : {};
    const publisher = this.#mayShareMessage(order) ? this.#batches : bus;
    try {
      await publisher.publish(jobMessage(names, { ...order, ...expiration, headers }));
    } catch (error) {
      throw error instanceof UnroutableError ? noExecutor({ pool, needsPython }) : error;
    }
  }

  #noteMessage(runIds: readonly string[]): void {
    const message = {};
    for (const runId of runIds) {
      const run = this.#options.pendingRuns.find(runId);
      if (run) run.sharedMessage = message;
    }
  }

  /**
   * Whether a job may share a message. In a trace, each job has a message with the span of its run. While the executors of
   * the pool have as many jobs as they take and runs are long, each job has its own message, so that it can go to one that starts
   * later.
   */
  #mayShareMessage({ job }: GatewayJob): boolean {
    const { batchesMessages, announced, fairQueue, processes } = this.#options;
    if (!batchesMessages || job.durable || propagatesTraces()) return false;
    const takenJobs = announced.batchedJobs(job.pool);
    if (takenJobs === 0) return false;
    return fairQueue.sent(job.pool) * processes <= takenJobs || fairQueue.isFast(job.pool);
  }
}
