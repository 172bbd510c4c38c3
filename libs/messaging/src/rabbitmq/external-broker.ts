import { isNativeError } from 'node:util/types';
import type { OutgoingGuard } from '@millrace/service';
import type { Channel, ConfirmChannel } from 'amqplib';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';
import { dial } from './dial';
import type { DialledConnection } from './dial';
import { ExternalConsumer } from './external-consumer';
import type { ExternalConsumeOptions, OnExternalDelivery } from './external-consumer';
import { limitMessages } from './limit-messages';

const ANSWER_TIMEOUT_MILLISECONDS = 10_000;
const HEARTBEAT_SECONDS = 20;
/** Maximum number of exchanges to which one connection publishes, each on a channel of its own. */
const MAXIMUM_CHANNELS = 32;

export interface ExternalBrokerOptions {
  /** Decides which addresses can be reached. */
  readonly guard: OutgoingGuard;
  /** Shown by the broker's tools. */
  readonly connectionName: string;
  readonly connectTimeoutMilliseconds: number;
}

/** A message for an exchange of the broker; the default exchange, '', routes by queue name. */
export interface ExternalMessage {
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  /** Unique among the messages that are published at a time. */
  readonly messageId: string;
  readonly correlationId: string | null;
  readonly type: string;
  readonly contentType: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  /** A message that no queue takes is returned. */
  readonly mandatory: boolean;
}

/** What the broker did with a message. */
export type PublishOutcome = 'confirmed' | 'returned';

interface Publisher {
  readonly channel: ConfirmChannel;
  readonly returned: Set<string>;
}

/**
 * A connection to a RabbitMQ that belongs to a user. It is not restored: `closed` resolves to the reason when it ends,
 * and the user opens another one. Errors are BusUnavailableError, OutgoingRefusedError, and what the broker answers.
 */
export class ExternalBroker {
  /** Resolves to the reason when the connection has ended. */
  readonly closed: Promise<string>;
  readonly #connection: DialledConnection;
  readonly #publishers = new Map<string, Promise<Publisher>>();

  private constructor(connection: DialledConnection) {
    this.#connection = connection;
    const { model } = connection;
    let reason = 'the connection was closed';
    model.on('error', (error: unknown) => (reason = reasonOf(error)));
    // `once` of node:events would reject at the event `error`, which comes before.
    this.closed = new Promise((resolve) => model.once('close', () => resolve(reason)));
  }

  /**
   * Connects to the address of a URL over amqp or amqps. Its query is ignored. Certificates are verified.
   */
  static async open(url: string, options: ExternalBrokerOptions): Promise<ExternalBroker> {
    const address = new URL(url);
    options.guard.check(address.hostname);
    address.search = '';
    const connection = await dial(address.href, {
      connectionName: options.connectionName,
      connectTimeoutMilliseconds: options.connectTimeoutMilliseconds,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      lookup: options.guard.lookup,
    });
    return new ExternalBroker(connection);
  }

  /**
   * Consumes from a queue, which must exist. A body of more than `maximumBytes` is not kept in memory: its message
   * arrives without a body.
   */
  async consume(
    queue: string,
    { prefetch, maximumBytes }: ExternalConsumeOptions,
    onDelivery: OnExternalDelivery,
  ): Promise<ExternalConsumer> {
    const channel = await this.#open(this.#connection.model.createChannel());
    const consumer = new ExternalConsumer(channel, onDelivery);
    limitMessages(channel, maximumBytes);
    const starting = (async () => {
      await channel.prefetch(prefetch);
      await consumer.start(queue);
    })();
    await settleWithin(starting, ANSWER_TIMEOUT_MILLISECONDS, 'consuming from the queue');
    return consumer;
  }

  /** Resolves when the broker has confirmed or returned the message. */
  async publish(message: ExternalMessage, timeoutMilliseconds: number): Promise<PublishOutcome> {
    const publishing = this.#publish(message);
    return settleWithin(publishing, timeoutMilliseconds, 'publishing to the broker');
  }

  /** Closes the connection; without a handshake when the broker does not answer. Never rejects. */
  async close(): Promise<void> {
    try {
      await settleWithin(this.#connection.model.close(), 2_000, 'closing a connection');
    } catch {
      this.#connection.destroy();
    }
  }

  async #publish({
    exchange,
    routingKey,
    body,
    mandatory,
    ...message
  }: ExternalMessage): Promise<PublishOutcome> {
    const { channel, returned } = await this.#publisher(exchange);
    const properties = {
      persistent: true,
      mandatory,
      appId: 'millrace',
      timestamp: message.timestamp,
      messageId: message.messageId,
      type: message.type,
      contentType: message.contentType,
      ...(message.correlationId === null ? {} : { correlationId: message.correlationId }),
    };
    await new Promise<void>((resolve, reject) => {
      channel.publish(exchange, routingKey, body, properties, (error: unknown) =>
        error ? reject(error instanceof Error ? error : new Error(String(error))) : resolve(),
      );
    });
    return returned.delete(message.messageId) ? 'returned' : 'confirmed';
  }

  /** Each exchange has a channel of its own: the broker closes the channel of a message to a missing exchange. */
  async #publisher(exchange: string): Promise<Publisher> {
    const existing = this.#publishers.get(exchange);
    if (existing) return existing;
    if (this.#publishers.size >= MAXIMUM_CHANNELS) this.#dropOldest();
    const opening = this.#openPublisher(exchange);
    this.#publishers.set(exchange, opening);
    opening.catch(() => this.#forget(exchange, opening));
    return opening;
  }

  async #openPublisher(exchange: string): Promise<Publisher> {
    const channel = await this.#open(this.#connection.model.createConfirmChannel());
    const returned = new Set<string>();
    // A message is returned before it is confirmed.
    channel.on('return', ({ properties }: { readonly properties: { readonly messageId?: unknown } }) => {
      if (typeof properties.messageId === 'string') returned.add(properties.messageId);
    });
    channel.once('close', () => {
      for (const [name, publisher] of this.#publishers)
        if (name === exchange)
          void publisher.then((found) => found.channel === channel && this.#forget(name, publisher));
    });
    return { channel, returned };
  }

  #forget(exchange: string, publisher: Promise<Publisher>): void {
    if (this.#publishers.get(exchange) === publisher) this.#publishers.delete(exchange);
  }

  #dropOldest(): void {
    const [oldest] = this.#publishers.entries();
    if (!oldest) return;
    const [exchange, publisher] = oldest;
    this.#publishers.delete(exchange);
    publisher.then(({ channel }) => channel.close()).catch(() => undefined);
  }

  async #open<T extends Channel>(opening: Promise<T>): Promise<T> {
    const channel = await settleWithin(opening, ANSWER_TIMEOUT_MILLISECONDS, 'opening a channel');
    // The broker's refusal also rejects what is under way on the channel.
    channel.on('error', () => undefined);
    return channel;
  }
}

/** Returns a sentence about an error of an external broker, without its address. */
export function reasonOf(error: unknown): string {
  if (error instanceof BusUnavailableError) return 'The broker did not answer in time.';
  if (!isNativeError(error)) return 'The connection failed.';
  const { code } = error as { readonly code?: unknown };
  if (error.name === 'OutgoingRefusedError') return `${error.message}.`;
  if (typeof code === 'string') return `The broker could not be reached: ${code}.`;
  return `The broker refused: ${error.message}`;
}
