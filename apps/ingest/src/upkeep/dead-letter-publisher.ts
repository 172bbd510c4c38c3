import { DEAD_KEY } from '@millrace/messages';
import type { BrokerNames, DeadLetter } from '@millrace/messages';
import type { MessageBus } from '@millrace/messaging';
import type { DeadRun, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const BATCH_SIZE = 100;
const DAY_MILLISECONDS = 86_400_000;

export interface DeadLetterPublisherOptions {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly logger: Logger;
  /** How long ended runs and their dead letters are kept. */
  readonly retentionDays: number;
  onPublished(count: number): void;
}

/**
 * Publishes one dead letter for each dead run until the broker has confirmed it. After a failed publish or a crash the
 * dead letter is published again later; it can then arrive twice, with the same message id.
 */
export class DeadLetterPublisher {
  readonly #options: DeadLetterPublisherOptions;

  constructor(options: DeadLetterPublisherOptions) {
    this.#options = options;
  }

  /** Publishes one batch of pending dead letters. Rejects when the database is unavailable. */
  async publishPending(): Promise<void> {
    const { runs, logger, onPublished } = this.#options;
    const dead = await runs.takeDeadLetters(BATCH_SIZE);
    if (dead.length === 0) return;
    const outcomes = await Promise.allSettled(dead.map((run) => this.#publish(run)));
    const published = dead.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    await runs.confirmDeadLetters(published.map(({ runId }) => runId));
    onPublished(published.length);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused) {
      const unpublished = dead.length - published.length;
      logger.warn(
        { error: refused.reason as unknown, runs: unpublished },
        'dead letters could not be published; they will be retried',
      );
    }
  }

  #publish(run: DeadRun): Promise<void> {
    const { bus, names, retentionDays } = this.#options;
    return bus.publish({
      exchange: names.deadExchange,
      routingKey: DEAD_KEY,
      body: Buffer.from(JSON.stringify(deadLetterOf(run))),
      persistent: true,
      mandatory: true,
      messageId: run.runId,
      correlationId: run.runId,
      type: 'dead-run',
      expirationMilliseconds: retentionDays * DAY_MILLISECONDS,
    });
  }
}

function deadLetterOf({ attempt, failure, acceptedAt, finishedAt, ...run }: DeadRun): DeadLetter {
  return {
    ...run,
    attempts: attempt,
    reason: failure?.code ?? 'attempts_exhausted',
    message: failure?.message ?? '',
    acceptedAt: acceptedAt.toISOString(),
    diedAt: finishedAt.toISOString(),
  };
}
