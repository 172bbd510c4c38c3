import type { MessageBus, OutgoingMessage } from './message-bus';

/** Calls a function when the current turn of the event loop has no more work. */
export type AfterTurn = (work: () => void) => void;

/** At least one message. */
export type Messages<Message> = readonly [Message, ...Message[]];

export interface TurnBatchesOptions<Message extends OutgoingMessage> {
  readonly bus: Pick<MessageBus, 'publish'>;
  /** A message with a larger body is published alone: copying it costs more than a message. */
  readonly maximumMessageBytes: number;
  /** Bounds of the bodies and of the number of messages of a batch. */
  readonly maximumBatchBytes: number;
  readonly maximumBatchMessages: number;
  /** Returns the message that carries several, which have the same exchange and routing key. */
  join(messages: Messages<Message>): OutgoingMessage;
  readonly afterTurn: AfterTurn;
}

interface Waiting<Message> {
  readonly message: Message;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Publishes messages that become ready in one turn of the event loop, for one queue, as one message. A message that is
 * alone in its turn is published unchanged; none waits for another. The outcome of a batch is that of each of its messages.
 */
export class TurnBatches<Message extends OutgoingMessage> {
  readonly #options: TurnBatchesOptions<Message>;
  /** By exchange and routing key. */
  #waiting = new Map<string, Waiting<Message>[]>();

  constructor(options: TurnBatchesOptions<Message>) {
    this.#options = options;
  }

  /** Resolves when the broker has confirmed the message that carries this one; rejects with the errors of the bus. */
  publish(message: Message): Promise<void> {
    const { bus, maximumMessageBytes, afterTurn } = this.#options;
    if (message.body.length > maximumMessageBytes) return bus.publish(message);
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) afterTurn(() => this.#flush());
      const waiting = { message, resolve, reject };
      const key = `${message.exchange} ${message.routingKey}`;
      const ofQueue = this.#waiting.get(key);
      if (ofQueue) ofQueue.push(waiting);
      else this.#waiting.set(key, [waiting]);
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const ofQueue of waiting.values()) for (const batch of this.#divided(ofQueue)) this.#send(batch);
  }

  #send(batch: Messages<Waiting<Message>>): void {
    const { bus, join } = this.#options;
    const [first, ...others] = batch;
    const message =
      others.length === 0 ? first.message : join([first.message, ...others.map((one) => one.message)]);
    bus.publish(message).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  /** Divides the messages for one queue into batches within the bounds. */
  #divided([first, ...rest]: readonly Waiting<Message>[]): [Waiting<Message>, ...Waiting<Message>[]][] {
    if (first === undefined) return [];
    const { maximumBatchMessages, maximumBatchBytes } = this.#options;
    let batch: [Waiting<Message>, ...Waiting<Message>[]] = [first];
    const batches = [batch];
    let bytes = first.message.body.length;
    for (const waiting of rest) {
      const { length } = waiting.message.body;
      if (batch.length < maximumBatchMessages && bytes + length <= maximumBatchBytes) {
        batch.push(waiting);
        bytes += length;
      } else {
        batch = [waiting];
        batches.push(batch);
        bytes = length;
      }
    }
    return batches;
  }
}
