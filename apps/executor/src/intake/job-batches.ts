import { setTimeout as sleep } from 'node:timers/promises';
import { REDELIVERED_HEADER } from '@millrace/messages';
import type { Delivery, MessageBus, OutgoingMessage, Verdict } from '@millrace/messaging';
import type { Logger, SharedClock } from '@millrace/service';
import { remainingMilliseconds, readJobs } from './read-job';
import type { InFlightRuns } from './in-flight-runs';
import type { BatchedJob, DeliveredJob } from './read-job';

/** A job whose handling failed is published again after this time, or up to twice as long. */
const FAILURE_PAUSE_MILLISECONDS = 100;

export interface JobBatchesDependencies {
  readonly bus: MessageBus;
  readonly inFlight: Pick<InFlightRuns<DeliveredJob>, 'settle'>;
  readonly clock: SharedClock;
  readonly logger: Logger;
}

/**
 * Handles deliveries with several jobs: each job as if it had its own delivery. The delivery is acknowledged when all of its
 * jobs are done. A job that must be delivered again leaves the batch: it is published alone, so that it neither waits for the
 * others nor repeats them.
 */
export class JobBatches {
  readonly #dependencies: JobBatchesDependencies;

  constructor(dependencies: JobBatchesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the verdict on the delivery; to null when its body is not a batch. */
  async settle(delivery: Delivery): Promise<Verdict | null> {
    const jobs = readJobs(delivery);
    if (jobs === null) return null;
    const verdicts = await Promise.all(jobs.map((job) => this.#settleJob(delivery, job)));
    return verdicts.every((verdict) => verdict === 'done') ? 'done' : 'retry';
  }

  async #settleJob(delivery: Delivery, batched: BatchedJob): Promise<Verdict> {
    const verdict = await this.#verdict(batched);
    return verdict === 'done' ? 'done' : this.#publishAlone(delivery, batched);
  }

  async #verdict({ delivered }: BatchedJob): Promise<Verdict> {
    const { inFlight, logger } = this.#dependencies;
    // Alone, the job is dead-lettered.
    if (delivered === null) return 'retry';
    try {
      return await inFlight.settle(delivered);
    } catch (error) {
      logger.error({ error, runId: delivered.job.runId }, 'handling a job of a batch failed; will retry');
      await pauseAfterFailure();
      return 'retry';
    }
  }

  /** Resolves to `retry`, for the whole delivery, when the job cannot be published. */
  async #publishAlone(delivery: Delivery, batched: BatchedJob): Promise<Verdict> {
    const { bus, logger } = this.#dependencies;
    const runId = runIdOf(batched);
    try {
      await bus.publish({
        ...addressOf(delivery),
        ...this.#expiryOf(batched),
        body: Buffer.from(JSON.stringify(batched.job)),
        correlationId: runId,
        headers: { [REDELIVERED_HEADER]: true },
      });
      return 'done';
    } catch (error) {
      logger.warn(
        { error, runId },
        'a job of a batch could not be published alone; the batch is delivered again',
      );
      await pauseAfterFailure();
      return 'retry';
    }
  }

  /** The message is of use until the deadline of its run. */
  #expiryOf({ delivered }: BatchedJob): Pick<OutgoingMessage, 'expirationMilliseconds'> {
    if (delivered === null) return {};
    const left = remainingMilliseconds(delivered.job, this.#dependencies.clock);
    return Number.isFinite(left) ? { expirationMilliseconds: Math.ceil(Math.max(1, left)) } : {};
  }
}

function pauseAfterFailure(): Promise<void> {
  return sleep(FAILURE_PAUSE_MILLISECONDS * (1 + Math.random()));
}

/** The id of the run; undefined when the job has none. */
function runIdOf({ job }: BatchedJob): string | undefined {
  const { runId } = Object(job) as { readonly runId?: unknown };
  return typeof runId === 'string' ? runId : undefined;
}

/** Where the delivery came from, and where its replies go. */
function addressOf({ exchange, routingKey, replyTo }: Delivery) {
  return {
    exchange,
    routingKey,
    persistent: false,
    mandatory: true,
    replyTo,
  } satisfies Partial<OutgoingMessage>;
}
