import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

const ANSWER_WITHIN_MILLISECONDS = 250;
/** How long others are asked, again and again, when this process has lost its own connection lately. */
const SHAKEN_MILLISECONDS = 2_000;
const SHAKEN_FOR_MILLISECONDS = 10_000;

export interface TakeoverDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly worker: string;
  readonly logger: Logger;
}

/**
 * A redelivery is no proof of death: a cut connection redelivers, too. Before a run is taken over, everybody is
 * asked who runs it; silence means nobody does.
 */
export class Takeover {
  readonly #dependencies: TakeoverDependencies;
  /** By run id: aborted by the answer. */
  readonly #asked = new Map<string, AbortController>();
  #cutAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
    dependencies.bus.onStateChange((state) => {
      if (state === 'disconnected') this.#cutAt = Date.now();
    });
  }

  /** True when another process answers in time that it has this run in hand. */
  async runsElsewhere(runId: string): Promise<boolean> {
    const answer = new AbortController();
    this.#asked.set(runId, answer);
    try {
      const patience = this.#isShaken() ? SHAKEN_MILLISECONDS : ANSWER_WITHIN_MILLISECONDS;
      const giveUpAt = Date.now() + patience;
      do {
        await this.#ask(runId);
        // The time to answer begins when the question is out.
        await sleep(ANSWER_WITHIN_MILLISECONDS, undefined, { signal: answer.signal }).catch(() => undefined);
      } while (!answer.signal.aborted && Date.now() < giveUpAt);
      return answer.signal.aborted;
    } finally {
      if (this.#asked.get(runId) === answer) this.#asked.delete(runId);
    }
  }

  /** Without an answer to be had, the run's lease and fencing decide. */
  async #ask(runId: string): Promise<void> {
    try {
      await this.#send({ kind: 'who-runs', runId, attempt: 0, asker: this.#dependencies.worker });
    } catch (error) {
      this.#dependencies.logger.warn({ error, runId }, 'nobody could be asked who runs a run');
    }
  }

  /**
   * Whether this process lost its own connection a moment ago. Then others may have lost theirs, too: they live, but a
   * question reaches them only when their queue is there again.
   */
  #isShaken(): boolean {
    return this.#dependencies.bus.state !== 'connected' || Date.now() - this.#cutAt < SHAKEN_FOR_MILLISECONDS;
  }

  /** Another process asks: answer that this one has the run. Never rejects. */
  async answer(question: Extract<ControlMessage, { kind: 'who-runs' }>, attempt: number): Promise<void> {
    const { worker, logger } = this.#dependencies;
    const { runId, asker } = question;
    if (asker === worker) return;
    try {
      await this.#send({ kind: 'i-run', runId, attempt, worker, asker });
    } catch (error) {
      logger.warn({ error, runId, asker }, 'another executor was not told that this one has the run');
    }
  }

  /** An answer came. */
  answered(answer: Extract<ControlMessage, { kind: 'i-run' }>): void {
    if (answer.asker === this.#dependencies.worker) this.#asked.get(answer.runId)?.abort();
  }

  #send(message: ControlMessage): Promise<void> {
    const { bus, names } = this.#dependencies;
    return bus.publish({
      exchange: names.controlExchange,
      routingKey: '',
      body: Buffer.from(JSON.stringify(message)),
      persistent: false,
      mandatory: false,
    });
  }
}
