import { DEAD_KEY } from '@millrace/contracts';
import type { BrokerNames, DeadLetter } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { DeadRun, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const AT_ONCE = 100;
const DAY_MILLISECONDS = 86_400_000;

export interface DeadLettersOptions {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly logger: Logger;
  /** How long ended runs are kept, and with them their dead letters. */
  readonly retentionDays: number;
  onAnnounced(count: number): void;
}

/**
 * Tells the broker of runs that are dead: one message each, once it is confirmed for good. What cannot be told now, or by
 * a process that dies, is told later; a letter may then come twice, with the same message id.
 */
export class DeadLetters {
  readonly #options: DeadLettersOptions;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Announces some of those that wait. Rejects when the database is away. */
  async announce(): Promise<void> {
    const { runs, logger, onAnnounced } = this.#options;
    const dead = await runs.takeDead(AT_ONCE);
    if (dead.length === 0) return;
    const outcomes = await Promise.allSettled(dead.map((run) => this.#publish(run)));
    const announced = dead.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    await runs.announced(announced.map(({ runId }) => runId));
    onAnnounced(announced.length);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refused) {
      const left = dead.length - announced.length;
      logger.warn({ error: refused.reason as unknown, runs: left }, 'dead runs were not announced yet');
    }
  }

  #publish(run: DeadRun): Promise<void> {
    const { bus, names, retentionDays } = this.#options;
    return bus.publish({
      exchange: names.deadExchange,
      routingKey: DEAD_KEY,
      body: Buffer.from(JSON.stringify(letterOf(run))),
      persistent: true,
      mandatory: true,
      messageId: run.runId,
      correlationId: run.runId,
      type: 'dead-run',
      expirationMilliseconds: retentionDays * DAY_MILLISECONDS,
    });
  }
}

function letterOf({ attempt, failure, acceptedAt, finishedAt, ...run }: DeadRun): DeadLetter {
  return {
    ...run,
    attempts: attempt,
    reason: failure?.code ?? 'attempts_exhausted',
    message: failure?.message ?? '',
    acceptedAt: acceptedAt.toISOString(),
    diedAt: finishedAt.toISOString(),
  };
}
