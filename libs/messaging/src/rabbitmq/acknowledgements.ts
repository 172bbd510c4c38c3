import type { Channel, ConsumeMessage } from 'amqplib';
import type { Verdict } from '../message-bus';

/**
 * Settles the deliveries of one channel on that channel. Acknowledgements of one turn of the event loop are sent
 * together, as one frame where no older delivery is unsettled. After the channel is closed, verdicts are dropped: the
 * broker has redelivered the messages already.
 */
export class Acknowledgements {
  readonly #channel: Channel;
  /** Ordered by delivery tag. */
  readonly #unsettled = new Map<number, ConsumeMessage>();
  #done: ConsumeMessage[] = [];
  #isOpen = true;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  received(message: ConsumeMessage): void {
    this.#unsettled.set(message.fields.deliveryTag, message);
  }

  settle(message: ConsumeMessage, verdict: Verdict): void {
    if (!this.#unsettled.delete(message.fields.deliveryTag) || !this.#isOpen) return;
    if (verdict === 'done') {
      if (this.#done.push(message) === 1) setImmediate(() => this.flush());
      return;
    }
    // Reject, not nack: since RabbitMQ 4.3 only a reject counts towards the delivery limit.
    this.#whileOpen(() => this.#channel.reject(message, verdict === 'retry'));
  }

  /** Sends the gathered acknowledgements. */
  flush(): void {
    const done = this.#done;
    if (done.length === 0) return;
    this.#done = [];
    const oldest = this.#unsettled.keys().next().value ?? Infinity;
    const settledTogether = done.filter(({ fields }) => fields.deliveryTag < oldest);
    const newest = settledTogether.reduce<ConsumeMessage | undefined>(
      (last, message) => (last && last.fields.deliveryTag > message.fields.deliveryTag ? last : message),
      undefined,
    );
    this.#whileOpen(() => {
      if (newest) this.#channel.ack(newest, settledTogether.length > 1);
      for (const message of done) if (message.fields.deliveryTag > oldest) this.#channel.ack(message);
    });
  }

  /** Returns deliveries to the queue that were not handled; this does not count towards the delivery limit. */
  returnUnhandled(messages: readonly ConsumeMessage[]): void {
    for (const { fields } of messages) this.#unsettled.delete(fields.deliveryTag);
    this.#whileOpen(() => {
      for (const message of messages) this.#channel.nack(message, false, true);
    });
  }

  /** Returns deliveries without a verdict to the queue; later verdicts are dropped. */
  returnRest(): void {
    this.flush();
    this.returnUnhandled([...this.#unsettled.values()]);
  }

  /** Notes that the channel is closed. */
  abandon(): void {
    this.#isOpen = false;
    this.#unsettled.clear();
    this.#done = [];
  }

  #whileOpen(send: () => void): void {
    if (!this.#isOpen) return;
    try {
      send();
    } catch {
      // The channel began to close in the meantime; the broker redelivers the messages.
    }
  }
}
