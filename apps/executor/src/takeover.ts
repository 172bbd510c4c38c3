import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

const ANSWER_WITHIN_MILLISECONDS = 250;

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
  readonly #asked = new Map<string, () => void>();

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
  }

  /** True when another process answers in time that it has this run in hand. */
  async runsElsewhere(runId: string): Promise<boolean> {
    let isElsewhere = false;
    let answered: () => void = () => undefined;
    const answer = new Promise<void>((resolve) => {
      answered = () => {
        isElsewhere = true;
        resolve();
      };
    });
    this.#asked.set(runId, answered);
    try {
      await this.#send({ kind: 'who-runs', runId, attempt: 0, asker: this.#dependencies.worker });
      // The time to answer begins when the question is out.
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ANSWER_WITHIN_MILLISECONDS);
      });
      await Promise.race([answer, silence]);
      clearTimeout(timer);
    } catch (error) {
      // Without an answer to be had, the run's lease and fencing decide.
      this.#dependencies.logger.warn({ error, runId }, 'nobody could be asked who runs a run');
    } finally {
      if (this.#asked.get(runId) === answered) this.#asked.delete(runId);
    }
    return isElsewhere;
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
    if (answer.asker === this.#dependencies.worker) this.#asked.get(answer.runId)?.();
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
