import type { BrokerNames } from '@millrace/messages';
import type { MessageBus, OutgoingMessage } from '@millrace/messaging';
import { GroupCommit } from '@millrace/runs';
import type { ConfirmedMessage, NewRun, PublishedRun, RunStore } from '@millrace/runs';
import { inTraceOf, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { jobMessage } from './job-message';

export interface RunPublisherDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly runs: RunStore;
  readonly logger: Logger;
  onFailure(): void;
}

/**
 * Publishes jobs for accepted runs and records which messages the broker has confirmed. The row is the source of truth:
 * the sweeper publishes later what cannot be published now.
 */
export class RunPublisher {
  readonly #dependencies: RunPublisherDependencies;
  readonly #confirmed: GroupCommit<ConfirmedMessage, undefined>;
  /** Each settles within the deadlines of the message bus. */
  readonly #publishing = new Set<Promise<boolean>>();

  constructor(dependencies: RunPublisherDependencies) {
    this.#dependencies = dependencies;
    this.#confirmed = new GroupCommit<ConfirmedMessage, undefined>({
      commit: async (messages) => {
        await dependencies.runs.markQueued(messages);
        return messages.map(() => undefined);
      },
      maximumWaitMilliseconds: 20,
      maximumItems: 500,
      maximumPending: 50_000,
    });
  }

  /** As `publish`, for a run that was just accepted. */
  publishNew(run: NewRun): Promise<boolean> {
    return this.publish({ ...run, attempt: 0, traceparent: run.traceparent ?? null });
  }

  /** Resolves to true when the broker has confirmed the message; never rejects. */
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

  /** Waits for pending publishes and records their confirmations. */
  async close(): Promise<void> {
    await Promise.all(this.#publishing);
    await this.#confirmed.close();
  }

  async #publish(run: PublishedRun): Promise<boolean> {
    const { bus, names, logger, onFailure } = this.#dependencies;
    const context = { runId: run.id, pool: run.pool };
    try {
      await inTraceOf(run.traceparent, () => bus.publish(messageOf(names, run)));
    } catch (error) {
      logger.warn({ ...context, error }, 'publishing a run failed; the sweeper will retry');
      onFailure();
      return false;
    }
    await this.#confirmed
      .add({ runId: run.id, attempt: run.attempt })
      .catch((error: unknown) =>
        logger.warn(
          { ...context, error },
          'a published run could not be marked as queued; it can be published twice',
        ),
      );
    return true;
  }
}

function messageOf(names: BrokerNames, run: PublishedRun): OutgoingMessage {
  const { id: runId, lane, pool, flowId, flowVersion, userId, traceparent } = run;
  const job = {
    runId,
    lane,
    pool,
    flowId,
    flowVersion,
    userId,
    durable: true,
    deadline: null,
    acceptedAt: machineTime(),
    claimCheck: null,
  };
  const headers = traceparent === null ? {} : { traceparent };
  return jobMessage(names, { job, requestText: null, persistent: true, headers });
}
