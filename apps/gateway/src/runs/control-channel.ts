import { controlTopology } from '@millrace/contracts';
import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { Consumer, Delivery, MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

export interface ControlChannelOptions {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly instance: string;
  readonly logger: Logger;
  /** Somebody changed or deleted a flow. */
  onFlowChanged(flowId: string): void;
  /** Somebody deleted a key. */
  onKeyRevoked(keyHash: string): void;
  /** Another gateway looks for a run whose caller may wait here. */
  onWhoWaits(question: Extract<ControlMessage, { kind: 'who-waits' }>): void;
  /** A gateway says that it has such a run. */
  onWaitsHere(answer: Extract<ControlMessage, { kind: 'waits-here' }>): void;
}

/** What every process tells every other one, on the control exchange. A message may be lost; caches expire anyway. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  #consumer: Consumer | null = null;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { bus, names, instance } = this.#options;
    await bus.provision(controlTopology(names, instance));
    this.#consumer = await bus.consume(
      names.control(instance),
      { prefetch: 100, noAck: true },
      async (delivery) => {
        this.#receive(delivery);
        return 'done';
      },
    );
  }

  /** Resolves when the broker has it; a failure is logged, since nobody can do anything about it. */
  async send(message: ControlMessage): Promise<void> {
    const { bus, names, logger } = this.#options;
    try {
      await bus.publish({
        exchange: names.controlExchange,
        routingKey: '',
        body: Buffer.from(JSON.stringify(message)),
        persistent: false,
        mandatory: false,
      });
    } catch (error) {
      logger.warn({ error, kind: message.kind }, 'a control message was not sent');
    }
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  #receive({ body }: Delivery): void {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind === 'flow-changed') this.#options.onFlowChanged(message.flowId);
    else if (message.kind === 'key-revoked') this.#options.onKeyRevoked(message.keyHash);
    else if (message.kind === 'who-waits') this.#options.onWhoWaits(message);
    else if (message.kind === 'waits-here') this.#options.onWaitsHere(message);
  }
}
