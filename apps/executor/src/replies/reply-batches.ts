import { REPLY_BATCH, writeReplyBatch } from '@millrace/contracts';
import type { BatchedReply } from '@millrace/contracts';
import type { MessageBus, OutgoingMessage } from '@millrace/messaging';

/** Larger replies have their own message: copying them costs more than a message. */
const MAXIMUM_REPLY_BYTES = 65_536;
const MAXIMUM_BATCH_BYTES = 262_144;
const MAXIMUM_BATCH_REPLIES = 64;

/** A reply as the message that carries it alone. */
export type ReplyMessage = OutgoingMessage &
  Omit<BatchedReply, 'headers'> &
  Required<Pick<OutgoingMessage, 'headers'>>;

/** Calls a function when the current turn of the event loop has no more work. */
export type AfterTurn = (work: () => void) => void;

interface Waiting {
  readonly reply: ReplyMessage;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Sends replies that become ready in one turn of the event loop, for one gateway, as one message. A reply that is alone
 * in its turn has its own message; none waits for another. The outcome of the message is that of each of its replies.
 */
export class ReplyBatches {
  readonly #bus: Pick<MessageBus, 'publish'>;
  /** By reply queue. */
  #waiting = new Map<string, Waiting[]>();

  readonly #afterTurn: AfterTurn;

  constructor(bus: Pick<MessageBus, 'publish'>, afterTurn: AfterTurn = process.nextTick) {
    this.#bus = bus;
    this.#afterTurn = afterTurn;
  }

  /** Resolves when the broker has confirmed the message with the reply; rejects with the errors of the bus. */
  publish(reply: ReplyMessage): Promise<void> {
    if (reply.body.length > MAXIMUM_REPLY_BYTES) return this.#bus.publish(reply);
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#afterTurn(() => this.#flush());
      const waiting = { reply, resolve, reject };
      const ofQueue = this.#waiting.get(reply.routingKey);
      if (ofQueue) ofQueue.push(waiting);
      else this.#waiting.set(reply.routingKey, [waiting]);
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const ofQueue of waiting.values()) for (const batch of divided(ofQueue)) this.#send(batch);
  }

  #send(batch: readonly [Waiting, ...Waiting[]]): void {
    const [{ reply: first }] = batch;
    const message: OutgoingMessage =
      batch.length === 1
        ? first
        : {
            exchange: first.exchange,
            routingKey: first.routingKey,
            body: writeReplyBatch(batch.map(({ reply }) => reply)),
            persistent: false,
            mandatory: true,
            type: REPLY_BATCH,
          };
    this.#bus.publish(message).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}

/** Divides the replies for one queue into batches within the bounds. */
function divided([first, ...rest]: readonly Waiting[]): [Waiting, ...Waiting[]][] {
  if (first === undefined) return [];
  let batch: [Waiting, ...Waiting[]] = [first];
  const batches = [batch];
  let bytes = first.reply.body.length;
  for (const waiting of rest) {
    const { length } = waiting.reply.body;
    if (batch.length < MAXIMUM_BATCH_REPLIES && bytes + length <= MAXIMUM_BATCH_BYTES) {
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
