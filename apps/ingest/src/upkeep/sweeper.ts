import type { BrokerNames } from '@millrace/messages';
import type { MessageBus } from '@millrace/messaging';
import type { EndedRequests, LostAttempt, RunEndedBySweep, RunStore, SweptRun } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { DeadLetterPublisher } from './dead-letter-publisher';
import type { RunPublisher } from '@millrace/dispatch';

const TICK_MILLISECONDS = 1_000;
const MAXIMUM_RUNS_PER_TICK = 500;
/** So few that they do not delay the next time-outs. */
const MAXIMUM_SHOWN_PER_TICK = 50;

export interface SweeperDependencies {
  readonly runs: RunStore;
  readonly endedRequests: EndedRequests;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly publisher: RunPublisher;
  readonly deadLetters: DeadLetterPublisher;
  readonly logger: Logger;
  /** Interval between two rounds; default one second. */
  readonly intervalMilliseconds?: number | undefined;
  onSwept(count: number): void;
  /** Called for each run without a live claim that this sweep ended. */
  onEnded(run: RunEndedBySweep): void;
  /** Called for each attempt whose lease expired, of a run that gets another one. */
  onLost(attempt: LostAttempt): void;
}

/**
 * Republishes runs that have no message: accepted runs that were never confirmed or whose next attempt is due, runs whose lease
 * has expired, and queued runs whose queue is empty or missing. Also takes the fallback of requests for human input that were not
 * answered in time, shows the ends of requests, and publishes dead letters. Any number of sweepers can run; only one is
 * active at a time.
 */
export class Sweeper {
  readonly #dependencies: SweeperDependencies;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(dependencies: SweeperDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#busy) return;
      this.#busy = true;
      this.#sweeping = this.#sweep().finally(() => {
        this.#busy = false;
      });
    }, this.#dependencies.intervalMilliseconds ?? TICK_MILLISECONDS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** Lets connections plan their statements again when the runs have become many more. */
  async #renewStatistics(): Promise<void> {
    const { runs, logger } = this.#dependencies;
    try {
      await runs.renewStatistics();
    } catch (error) {
      logger.warn(
        { error },
        'statistics of the runs could not be renewed; it will be retried in the next round',
      );
    }
  }

  /** Runs that go on join the backlog. */
  async #expireRequests(): Promise<void> {
    const { runs, endedRequests, logger, onEnded } = this.#dependencies;
    try {
      const ended = await runs.expireHumanRequests(MAXIMUM_RUNS_PER_TICK);
      for (const run of ended) onEnded({ ...run, lost: null });
      await endedRequests.show({ limit: MAXIMUM_SHOWN_PER_TICK });
    } catch (error) {
      logger.warn(
        { error },
        'requests for human input could not be ended; it will be retried in the next round',
      );
    }
  }

  async #sweep(): Promise<void> {
    const { runs, bus, publisher, deadLetters, logger, onSwept, onEnded, onLost } = this.#dependencies;
    await this.#expireRequests();
    if (bus.state !== 'connected') return;
    try {
      const swept = await runs.sweep({ limit: MAXIMUM_RUNS_PER_TICK, onEnded, onLost });
      await deadLetters.publishPending();
      const lost = await this.#lostRuns(swept);
      if (lost.length > 0) {
        onSwept(lost.length);
        logger.info({ runs: lost.length }, 'republishing runs that have no message');
        await Promise.all(lost.map((run) => publisher.publish(run)));
      }
    } catch (error) {
      logger.warn({ error }, 'sweep failed; it will be retried in the next round');
      return;
    }
    await this.#renewStatistics();
  }

  /** Returns the runs that need a message: a queued run counts as lost only when its queue is empty or missing. */
  async #lostRuns(swept: readonly SweptRun[]): Promise<readonly SweptRun[]> {
    const { names } = this.#dependencies;
    const hasMessagesByQueue = new Map<string, boolean>();
    for (const { queueSuspect, lane, pool } of swept) {
      const queue = names.lane(lane, pool);
      if (queueSuspect && !hasMessagesByQueue.has(queue))
        hasMessagesByQueue.set(queue, await this.#hasMessages(queue));
    }
    return swept.filter(
      ({ queueSuspect, lane, pool }) => !queueSuspect || !hasMessagesByQueue.get(names.lane(lane, pool)),
    );
  }

  /**
   * Resolves to true also when the queue's status is unavailable: it is checked in the next round, so that runs of
   * other queues do not wait.
   */
  async #hasMessages(queue: string): Promise<boolean> {
    const { bus, logger } = this.#dependencies;
    try {
      const status = await bus.queueStatus(queue);
      return status !== null && status.messages > 0;
    } catch (error) {
      logger.warn({ error, queue }, 'queue status unavailable; the queue will be checked in the next round');
      return true;
    }
  }
}
