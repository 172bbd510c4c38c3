import type { Logger } from '@millrace/service';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { CLOSE_DEADLINE_MILLISECONDS, InFlightCounter } from '../in-flight-counter';
import type { ConsumeOptions, Consumer, Delivery, DeliveryHandler } from '../message-bus';
import { BusUnavailableError } from '../message-bus-errors';
import { runHandler } from '../run-handler';
import { settleWithin } from '../settle-within';
import { Acknowledgements } from './acknowledgements';
import { SupervisedChannel } from './supervised-channel';

const ANSWER_TIMEOUT_MILLISECONDS = 2_000;

export interface SubscriptionOptions extends ConsumeOptions {
  readonly queue: string;
  readonly handler: DeliveryHandler;
  readonly logger: Logger;
  /** Called before the queue is consumed from again. */
  readonly ensureQueue: (queue: string) => Promise<void>;
}

/** State of the consumer on one channel. */
interface Intake {
  readonly channel: Channel;
  /** Null without acknowledgements. */
  readonly acknowledgements: Acknowledgements | null;
  /** Deliveries that arrived after the subscription began to close. */
  readonly late: ConsumeMessage[];
  consumerTag: string;
  isCancelled: boolean;
}

/** A consumer on a separate channel, which is restored with the channel. */
export class Subscription implements Consumer {
  readonly #options: SubscriptionOptions;
  readonly #channel: SupervisedChannel<Channel>;
  readonly #running = new InFlightCounter();
  #received = 0;
  #intake: Intake | null = null;
  #problem: string | null = null;
  #closing: Promise<void> | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.#channel = new SupervisedChannel<Channel>(
      {
        name: `consume ${options.queue}`,
        create: (model) => model.createChannel(),
        prepare: (channel, isReopening) => this.#prepare(channel, isReopening),
        lost: (channel) => this.#lost(channel),
      },
      options.logger,
    );
  }

  get queue(): string {
    return this.#options.queue;
  }

  get isConsuming(): boolean {
    return this.#intake !== null;
  }

  /** How many deliveries have arrived. */
  get received(): number {
    return this.#received;
  }

  /** Whether the broker should deliver a message that waits: fewer are handled than the prefetch allows. */
  get hasRoom(): boolean {
    return this.isConsuming && this.#running.count < this.#options.prefetch;
  }

  /** Why no deliveries can arrive; null while they can. */
  get problem(): string | null {
    return this.isConsuming ? null : (this.#problem ?? 'not connected to RabbitMQ');
  }

  /** Consumes on this connection from now on; rejects when that fails, but keeps trying. */
  async connected(model: ChannelModel): Promise<void> {
    if (!this.#closing) await this.#channel.attach(model);
  }

  disconnected(): void {
    this.#channel.detach();
  }

  close(options: { readonly deadlineMilliseconds?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(options.deadlineMilliseconds ?? CLOSE_DEADLINE_MILLISECONDS);
    return this.#closing;
  }

  /** The channel stays open until running handlers have settled their deliveries on it. */
  async #close(deadlineMilliseconds: number): Promise<void> {
    const intake = this.#intake;
    this.#channel.detach();
    if (intake) await quietly(intake.channel.cancel(intake.consumerTag), 'cancelling a consumer');
    // At once: another consumer can handle them while handlers run here.
    intake?.acknowledgements?.returnUnhandled(intake.late);
    await this.#running.whenIdle(deadlineMilliseconds);
    if (!intake) return;
    intake.acknowledgements?.flush();
    intake.acknowledgements?.returnRest();
    await quietly(intake.channel.close(), 'closing a channel');
  }

  async #prepare(channel: Channel, isReopening: boolean): Promise<void> {
    try {
      await this.#consume(channel, isReopening);
      this.#problem = null;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  async #consume(channel: Channel, isReopening: boolean): Promise<void> {
    const { queue, prefetch, noAck = false, ensureQueue } = this.#options;
    if (isReopening) await ensureQueue(queue);
    if (!noAck) await channel.prefetch(prefetch);
    const acknowledgements = noAck ? null : new Acknowledgements(channel);
    const intake: Intake = { channel, acknowledgements, late: [], consumerTag: '', isCancelled: false };
    const listen = (message: ConsumeMessage | null) => this.#receive(message, intake);
    intake.consumerTag = (await channel.consume(queue, listen, { noAck })).consumerTag;
    // The queue can have been deleted again before the channel counts as open, when it cannot be replaced yet.
    if (intake.isCancelled)
      throw new BusUnavailableError(`queue "${queue}" was deleted while it was subscribed to`);
    this.#intake = intake;
  }

  #lost(channel: Channel): void {
    if (this.#intake?.channel !== channel) return;
    this.#intake.acknowledgements?.abandon();
    this.#intake = null;
  }

  /** Must not throw: amqplib would close the connection. */
  #receive(message: ConsumeMessage | null, intake: Intake): void {
    const { queue, handler, logger } = this.#options;
    if (message === null) {
      logger.warn({ queue }, 'RabbitMQ cancelled a consumer; subscribing again');
      intake.isCancelled = true;
      this.#channel.replace();
      return;
    }
    this.#received += 1;
    const { acknowledgements } = intake;
    acknowledgements?.received(message);
    // Deliveries that arrive before the broker has cancelled the consumer are returned; without acknowledgements they are
    // handled.
    if (this.#closing && acknowledgements) {
      intake.late.push(message);
      return;
    }
    this.#running.begin();
    void runHandler(handler, deliveryOf(message), queue, logger).then((verdict) => {
      acknowledgements?.settle(message, verdict);
      this.#running.end();
    });
  }
}

/** Ignores failures: without a connection there is nothing to cancel or close. */
async function quietly(answer: Promise<unknown>, action: string): Promise<void> {
  await settleWithin(answer, ANSWER_TIMEOUT_MILLISECONDS, action).catch(() => undefined);
}

function deliveryOf({ content, fields, properties }: ConsumeMessage): Delivery {
  return {
    body: content,
    exchange: fields.exchange,
    routingKey: fields.routingKey,
    messageId: properties.messageId,
    correlationId: properties.correlationId,
    replyTo: properties.replyTo,
    type: properties.type,
    headers: properties.headers ?? {},
    redelivered: fields.redelivered,
  };
}
