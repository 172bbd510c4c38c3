import type { BrokerNames, Job } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import { GroupCommit } from '@millrace/runs';
import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

/** A durable run that an executor should hear of. */
export interface AcceptedRun {
  readonly id: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly pool: string;
  readonly lane: 'interactive' | 'background';
}

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
  async publish(run: AcceptedRun): Promise<boolean> {
    const { bus, names, logger, onFailure } = this.#dependencies;
    if (bus.state !== 'connected') return false;
    try {
      await bus.publish({
        exchange: names.runsExchange,
        routingKey: names.routingKey(run.lane, run.pool),
        body: Buffer.from(JSON.stringify(jobOf(run))),
        persistent: true,
        mandatory: true,
        messageId: run.id,
        correlationId: run.id,
      });
      await this.#queued.add(run.id);
      return true;
    } catch (error) {
      logger.warn(
        { error, runId: run.id, pool: run.pool },
        'a run could not be published yet; the sweeper will try again',
      );
      onFailure();
      return false;
    }
  }

  close(): Promise<void> {
    return this.#queued.close();
  }
}

function jobOf(run: AcceptedRun): Job {
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
