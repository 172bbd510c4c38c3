import type { BrokerNames } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { FailedRun, RunStore, SweptRun } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { DeadLetters } from './dead-letters';
import type { RunPublisher } from './run-publisher';

const TICK_MILLISECONDS = 1_000;
const MAXIMUM_RUNS_PER_TICK = 500;

export interface SweeperDependencies {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly publisher: RunPublisher;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
  /** Between two rounds; a second unless given. */
  readonly intervalMilliseconds?: number | undefined;
  onSwept(count: number): void;
  /** A run that nobody had in hand was ended by this sweep. */
  onEnded(run: FailedRun): void;
}

/**
 * Publishes again what has no message: accepted runs that were never confirmed, runs whose lease ran out, and queued
 * ones whose queue is empty or gone; and tells of the dead. Any number of sweepers may run; one at a time has its turn.
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

  async #sweep(): Promise<void> {
    const { runs, bus, publisher, deadLetters, logger, onSwept, onEnded } = this.#dependencies;
    if (bus.state !== 'connected') return;
    try {
      const swept = await runs.sweep({ limit: MAXIMUM_RUNS_PER_TICK, onEnded });
      await deadLetters.announce();
      const lost = await this.#withoutMessage(swept);
      if (lost.length === 0) return;
      onSwept(lost.length);
      logger.info({ runs: lost.length }, 'runs are published again');
      await Promise.all(
        lost.map(({ id, flowId, flowVersion, userId, pool, lane }) =>
          publisher.publish({ id, flowId, flowVersion, userId, pool, lane }),
        ),
      );
    } catch (error) {
      logger.warn({ error }, 'the sweeper could not finish its round');
    }
  }

  /** A queued run waits rightly as long as its queue has messages; only an empty or missing queue has lost it. */
  async #withoutMessage(swept: readonly SweptRun[]): Promise<readonly SweptRun[]> {
    const { names } = this.#dependencies;
    const waiting = new Map<string, boolean>();
    for (const { queueSuspect, lane, pool } of swept) {
      const queue = names.lane(lane, pool);
      if (queueSuspect && !waiting.has(queue)) waiting.set(queue, await this.#hasMessages(queue));
    }
    return swept.filter(
      ({ queueSuspect, lane, pool }) => !queueSuspect || !waiting.get(names.lane(lane, pool)),
    );
  }

  /** A queue that says nothing is left alone until the next round: the runs of the others must not wait for it. */
  async #hasMessages(queue: string): Promise<boolean> {
    const { bus, logger } = this.#dependencies;
    try {
      const status = await bus.queueStatus(queue);
      return status !== null && status.messages > 0;
    } catch (error) {
      logger.warn({ error, queue }, 'a queue did not say how many runs wait in it');
      return true;
    }
  }
}
