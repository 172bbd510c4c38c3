import type { BrokerNames, Job } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import { GroupCommit } from '@millrace/runs';
import type { PublishedRun, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

export interface RunPublisherDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly runs: RunStore;
  readonly logger: Logger;
  onFailure(): void;
}

/**
 * Tells executors of accepted runs and notes which messages the broker has confirmed. The row is the truth: a message
 * that cannot be sent now is sent later by the sweeper.
 */
export class RunPublisher {
  readonly #dependencies: RunPublisherDependencies;
  readonly #queued: GroupCommit<string, undefined>;
  /** Each ends within the broker's own deadlines. */
  readonly #publishing = new Set<Promise<boolean>>();

  constructor(dependencies: RunPublisherDependencies) {
    this.#dependencies = dependencies;
    this.#queued = new GroupCommit<string, undefined>({
      commit: async (ids) => {
        await dependencies.runs.markQueued(ids);
        return ids.map(() => undefined);
      },
      maximumWaitMilliseconds: 20,
      maximumItems: 500,
      maximumPending: 50_000,
    });
  }

  /** Resolves to true when the broker has the message; never rejects. */
  async publish(run: PublishedRun): Promise<boolean> {
    const { bus } = this.#dependencies;
    if (bus.state !== 'connected') return false;
    const publishing = this.#publish(run);
    this.#publishing.add(publishing);
    try {
      return await publishing;
    } finally {
      this.#publishing.delete(publishing);
    }
  }

  /** Lets what is on its way arrive, and notes it. */
  async close(): Promise<void> {
    await Promise.all(this.#publishing);
    await this.#queued.close();
  }

  async #publish(run: PublishedRun): Promise<boolean> {
    const { bus, names, logger, onFailure } = this.#dependencies;
    const context = { runId: run.id, pool: run.pool };
    try {
      await bus.publish({
        exchange: names.runsExchange,
        routingKey: names.routingKey(run.lane, run.pool),
        body: Buffer.from(JSON.stringify(jobOf(run))),
        persistent: true,
        mandatory: true,
        ...(run.lane === 'interactive' ? { alternativeRoutingKey: names.standbyKey(run.pool) } : {}),
        messageId: run.id,
        correlationId: run.id,
      });
    } catch (error) {
      logger.warn({ ...context, error }, 'a run could not be published yet; the sweeper will try again');
      onFailure();
      return false;
    }
    await this.#queued
      .add(run.id)
      .catch((error: unknown) =>
        logger.warn(
          { ...context, error },
          'a published run was not noted as queued; it may be published twice',
        ),
      );
    return true;
  }
}

function jobOf(run: PublishedRun): Job {
  return {
    schemaVersion: 1,
    runId: run.id,
    lane: run.lane,
    pool: run.pool,
    flowId: run.flowId,
    flowVersion: run.flowVersion,
    userId: run.userId,
    durable: true,
    deadline: null,
    acceptedAt: Date.now(),
    request: null,
    claimCheck: null,
  };
}
