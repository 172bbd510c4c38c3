import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';

const ANSWER_WITHIN_MILLISECONDS = 250;

/**
 * A redelivery is no proof of death: a cut connection redelivers, too. Before a run is taken over, everybody is
 * asked who runs it; silence means nobody does.
 */
export class Takeover {
  readonly #bus: MessageBus;
  readonly #names: BrokerNames;
  readonly #worker: string;
  readonly #asked = new Map<string, (alive: boolean) => void>();

  constructor(bus: MessageBus, names: BrokerNames, worker: string) {
    this.#bus = bus;
    this.#names = names;
    this.#worker = worker;
  }

  /** True when another process answers in time that it has this run in hand. */
  async runsElsewhere(runId: string): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => {
      this.#asked.set(runId, resolve);
      setTimeout(() => resolve(false), ANSWER_WITHIN_MILLISECONDS);
    });
    try {
      await this.#send({ kind: 'who-runs', runId, attempt: 0, asker: this.#worker });
    } catch {
      // Without an answer to be had, the run's lease and fencing decide.
    }
    const alive = await answer;
    this.#asked.delete(runId);
    return alive;
  }

  /** Another process asks: answer that this one has the run. */
  async answer(question: Extract<ControlMessage, { kind: 'who-runs' }>, attempt: number): Promise<void> {
    if (question.asker === this.#worker) return;
    const { runId, asker } = question;
    await this.#send({ kind: 'i-run', runId, attempt, worker: this.#worker, asker });
  }

  /** An answer came. */
  answered(answer: Extract<ControlMessage, { kind: 'i-run' }>): void {
    if (answer.asker === this.#worker) this.#asked.get(answer.runId)?.(true);
  }

  #send(message: ControlMessage): Promise<void> {
    return this.#bus.publish({
      exchange: this.#names.controlExchange,
      routingKey: '',
      body: Buffer.from(JSON.stringify(message)),
      persistent: false,
      mandatory: false,
    });
  }
}
