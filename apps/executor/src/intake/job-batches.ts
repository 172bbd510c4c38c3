import { JOB_BATCH, PASSED_ON_HEADER, REDELIVERED_HEADER, writeJobBatch } from '@millrace/contracts';
import type { Delivery, MessageBus, OutgoingMessage, Verdict } from '@millrace/messaging';
import type { Logger, SharedClock } from '@millrace/service';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Slots } from '../attempts/slots';
import { remainingMilliseconds } from '../jobs/remaining-milliseconds';
import type { InFlightRuns } from './in-flight-runs';
import { readJobs } from './read-job';
import type { BatchedJob, DeliveredJob } from './read-job';

/** A job whose handling failed is published again after this time, or up to twice as long. */
const FAILURE_PAUSE_MILLISECONDS = 100;

export interface JobBatchesDependencies {
  readonly bus: MessageBus;
  readonly slots: Pick<Slots, 'limit' | 'taken'>;
  readonly peers: { readonly others: readonly string[] };
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
    const excess = this.#excess(delivery, jobs.length);
    const kept = jobs.slice(0, jobs.length - excess);
    const verdicts = await Promise.all([
      ...kept.map((job) => this.#settleJob(delivery, job)),
      ...(excess === 0 ? [] : [this.#passOn(delivery, jobs.slice(-excess))]),
    ]);
    return verdicts.every((verdict) => verdict === 'done') ? 'done' : 'retry';
  }

  /**
   * Returns how many jobs go to the other executors of the pool, because no slot is free for them here. Jobs are passed on
   * once: when all executors are busy, they wait where they are.
   */
  #excess({ redelivered, headers }: Delivery, jobs: number): number {
    const { slots, peers } = this.#dependencies;
    if (redelivered || headers[PASSED_ON_HEADER] === true || peers.others.length === 0) return 0;
    return Math.max(0, jobs - Math.max(0, slots.limit - slots.taken));
  }

  /** Publishes jobs again that were not started here. Runs them when that fails. */
  async #passOn(delivery: Delivery, jobs: readonly BatchedJob[]): Promise<Verdict> {
    const { bus, logger } = this.#dependencies;
    try {
      await bus.publish({
        ...addressOf(delivery),
        ...this.#expiryOf(jobs),
        body: writeJobBatch(jobs.map(({ job }) => Buffer.from(JSON.stringify(job)))),
        type: JOB_BATCH,
        headers: { [PASSED_ON_HEADER]: true },
      });
      return 'done';
    } catch (error) {
      logger.warn({ error, jobs: jobs.length }, 'jobs could not be passed on; they run here');
      const verdicts = await Promise.all(jobs.map((job) => this.#settleJob(delivery, job)));
      return verdicts.every((verdict) => verdict === 'done') ? 'done' : 'retry';
    }
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
      await sleep(FAILURE_PAUSE_MILLISECONDS * (1 + Math.random()));
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
        ...this.#expiryOf([batched]),
        body: Buffer.from(JSON.stringify(batched.job)),
        ...(runId === undefined ? {} : { correlationId: runId }),
        headers: { [REDELIVERED_HEADER]: true },
      });
      return 'done';
    } catch (error) {
      logger.warn(
        { error, runId },
        'a job of a batch could not be published alone; the batch is delivered again',
      );
      return 'retry';
    }
  }

  /** The message is of use until the last deadline of its jobs. */
  #expiryOf(jobs: readonly BatchedJob[]): Pick<OutgoingMessage, 'expirationMilliseconds'> {
    const { clock } = this.#dependencies;
    const left = jobs.map(({ delivered }) =>
      delivered === null ? Infinity : remainingMilliseconds(delivered.job, clock),
    );
    const longest = Math.ceil(Math.max(1, ...left));
    return Number.isFinite(longest) ? { expirationMilliseconds: longest } : {};
  }
}

/** The id of the run; undefined when the job has none. */
function runIdOf({ job }: BatchedJob): string | undefined {
  const { runId } = Object(job) as { readonly runId?: unknown };
  return typeof runId === 'string' ? runId : undefined;
}

/** Where the delivery came from, and where its replies go. */
function addressOf({ exchange, routingKey, replyTo }: Delivery) {
  return {
    ...{ exchange, routingKey, persistent: false, mandatory: true },
    ...(replyTo === undefined ? {} : { replyTo }),
  } satisfies Partial<OutgoingMessage>;
}
