import type { Channel, ConsumeMessage } from 'amqplib';
import { settleWithin } from '../settle-within';
import { droppedBytes } from './limit-messages';

const CLOSE_MILLISECONDS = 2_000;

export interface ExternalConsumeOptions {
  /** Maximum number of deliveries that are neither acknowledged nor returned. */
  readonly prefetch: number;
  readonly maximumBytes: number;
}

/** A message that arrived from a user's queue. */
export interface ExternalDelivery {
  /** For `acknowledge`, `reject` and `requeue`. */
  readonly tag: ConsumeMessage;
  /** Null when it was larger than the limit. */
  readonly body: Buffer | null;
  /** The size of the body, also of one that is null. */
  readonly bytes: number;
  readonly exchange: string;
  readonly routingKey: string;
  readonly redelivered: boolean;
  readonly messageId: string | null;
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  readonly type: string | null;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** In seconds since 1970, as the sender set it. */
  readonly timestamp: number | null;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Receives the deliveries of a consumer, which can arrive before `consume` has resolved. */
export type OnExternalDelivery = (delivery: ExternalDelivery, consumer: ExternalConsumer) => void;

/** A consumer of a user's queue, which ends with its channel. */
export class ExternalConsumer {
  readonly #channel: Channel;
  readonly #onDelivery: OnExternalDelivery;
  readonly #end: (reason: string) => void;
  #isOpen = true;
  #consumerTag: string | null = null;
  /** Resolves to the reason when no further message arrives; unsettled messages are then in the queue again. */
  readonly ended: Promise<string>;

  constructor(channel: Channel, onDelivery: OnExternalDelivery) {
    this.#channel = channel;
    this.#onDelivery = onDelivery;
    let reason = 'the channel was closed';
    let resolveEnded: (reason: string) => void = () => undefined;
    this.ended = new Promise((resolve) => (resolveEnded = resolve));
    this.#end = (text) => {
      this.#isOpen = false;
      resolveEnded(text);
    };
    channel.on('error', (error: unknown) => (reason = error instanceof Error ? error.message : reason));
    channel.once('close', () => this.#end(reason));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async start(queue: string): Promise<void> {
    const { consumerTag } = await this.#channel.consume(queue, (message) => {
      // The broker cancels a consumer whose queue was deleted.
      if (message === null) return this.#cancelled();
      if (this.#isOpen) this.#onDelivery(deliveryOf(message), this);
    });
    this.#consumerTag = consumerTag;
  }

  acknowledge({ tag }: ExternalDelivery): void {
    this.#settle(() => this.#channel.ack(tag));
  }

  /** The broker dead-letters the message, or drops it when the queue has no dead-letter exchange. */
  reject({ tag }: ExternalDelivery): void {
    this.#settle(() => this.#channel.nack(tag, false, false));
  }

  requeue({ tag }: ExternalDelivery): void {
    this.#settle(() => this.#channel.nack(tag, false, true));
  }

  /** Stops deliveries. What is delivered can still be settled. Never rejects. */
  async cancel(): Promise<void> {
    if (this.#consumerTag === null || !this.#isOpen) return;
    await this.#quietly(this.#channel.cancel(this.#consumerTag));
  }

  /** Returns what is not settled to the queue. Never rejects. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#quietly(this.#channel.close());
    this.#end('closed');
  }

  #cancelled(): void {
    const channel = this.#channel;
    this.#end('the queue was deleted');
    void this.#quietly(channel.close());
  }

  /** The broker redelivers what was not settled on a channel that is closed. */
  #settle(work: () => void): void {
    if (!this.#isOpen) return;
    try {
      work();
    } catch {
      this.#end('the channel was closed');
    }
  }

  async #quietly(answer: Promise<unknown>): Promise<void> {
    await settleWithin(answer, CLOSE_MILLISECONDS, 'closing').catch(() => undefined);
  }
}

function deliveryOf(message: ConsumeMessage): ExternalDelivery {
  const { content, fields, properties } = message;
  const dropped = droppedBytes(properties);
  const { timestamp } = properties as { readonly timestamp?: unknown };
  return {
    tag: message,
    body: dropped === undefined ? content : null,
    bytes: dropped ?? content.length,
    exchange: fields.exchange,
    routingKey: fields.routingKey,
    redelivered: fields.redelivered,
    messageId: textOf(properties.messageId),
    correlationId: textOf(properties.correlationId),
    replyTo: textOf(properties.replyTo),
    type: textOf(properties.type),
    contentType: textOf(properties.contentType),
    contentEncoding: textOf(properties.contentEncoding),
    timestamp: typeof timestamp === 'number' ? timestamp : null,
    headers: properties.headers ?? {},
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
