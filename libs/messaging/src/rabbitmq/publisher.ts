import type { Logger } from '@millrace/service';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import { InHand } from '../in-hand';
import { MAXIMUM_BODY_BYTES } from '../maximum-body-bytes';
import { BusUnavailableError, RefusedError, UnconfirmedError, UnroutableError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';
import { InFlightPublishes, type InFlightPublish } from './in-flight-publishes';
import { publishOptions, sequenceOf } from './publish-options';
import { SupervisedChannel } from './supervised-channel';
import { WaitingPublishes } from './waiting-publishes';

const MEBIBYTE = 1024 * 1024;
const LONGEST_SWEEP_INTERVAL_MILLISECONDS = 250;
/** So many windows of unanswered messages are enough: amqplib keeps them all in memory. */
const STUCK_WINDOWS = 4;

export interface PublisherOptions {
  readonly confirmWindow: number;
  readonly confirmTimeoutMilliseconds: number;
  readonly logger: Logger;
  /** Called when the broker has not answered for so long that only a new connection can help. */
  readonly stuck: () => void;
}

/** Publishes on one confirm channel, many messages at a time, each with its own outcome. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #inFlight: InFlightPublishes;
  readonly #waiting: WaitingPublishes;
  readonly #unsettled = new InHand();
  readonly #channel: SupervisedChannel<ConfirmChannel>;
  #nextSequence = 1;
  #isBlocked = false;
  #isClosed = false;
  /** The exchange whose absence closed the last channel. */
  #missingExchange: string | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    const timeoutMilliseconds = options.confirmTimeoutMilliseconds;
    this.#inFlight = new InFlightPublishes({
      count: options.confirmWindow,
      bytes: 64 * MEBIBYTE,
      timeoutMilliseconds,
    });
    this.#waiting = new WaitingPublishes({ count: 20_000, bytes: 256 * MEBIBYTE, timeoutMilliseconds });
    this.#channel = new SupervisedChannel<ConfirmChannel>(
      {
        name: 'publish',
        create: (model) => model.createConfirmChannel(),
        prepare: (channel) => this.#prepare(channel),
        lost: () => this.#waiting.rejectAll('the channel to RabbitMQ was closed'),
      },
      options.logger,
    );
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Opens the channel on a new connection. */
  async connected(model: ChannelModel): Promise<void> {
    this.#isBlocked = false;
    await this.#channel.attach(model);
  }

  disconnected(): void {
    this.#channel.detach();
    this.#waiting.rejectAll('lost the connection to RabbitMQ');
  }

  /** The breaker: while RabbitMQ blocks publishers, new messages are refused at once instead of piling up. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (isBlocked) this.#waiting.rejectAll('RabbitMQ blocks publishers');
  }

  /** Not an async function: this is the hot path, and one promise a message is enough. */
  publish(message: OutgoingMessage): Promise<void> {
    const problem = this.#problemWith(message);
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      if (this.#waiting.count === 0 && this.#inFlight.hasRoomFor(message.body.length)) {
        this.#send(message, resolve, reject);
      } else {
        this.#waiting.add({ message, since: performance.now(), resolve, reject });
      }
      this.#sweepTimer ??= this.#startSweeping();
    });
  }

  /** Takes no more messages and waits for the confirms of those in flight, at most their own time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#unsettled.none(this.#options.confirmTimeoutMilliseconds);
    this.#channel.detach();
    this.#waiting.rejectAll('the bus is closed');
    clearInterval(this.#sweepTimer);
  }

  #problemWith({ body }: OutgoingMessage): Error | null {
    if (this.#isClosed) return new BusUnavailableError('the bus is closed');
    if (this.#isBlocked) return new BusUnavailableError('RabbitMQ blocks publishers');
    if (this.#channel.current === null) return new BusUnavailableError('not connected to RabbitMQ');
    if (body.length <= MAXIMUM_BODY_BYTES) return null;
    // RabbitMQ would close the channel, and take the other messages in flight along.
    return new RefusedError(`a body of ${body.length} bytes is larger than ${MAXIMUM_BODY_BYTES}`);
  }

  #send(message: OutgoingMessage, resolve: () => void, reject: (error: Error) => void): void {
    const channel = this.#channel.current;
    if (channel === null) {
      reject(new BusUnavailableError('not connected to RabbitMQ'));
      return;
    }
    const { exchange, routingKey, body } = message;
    const publish: InFlightPublish = {
      sequence: this.#nextSequence++,
      exchange,
      routingKey,
      bytes: body.length,
      sentAt: performance.now(),
      resolve,
      reject,
      isReturned: false,
    };
    try {
      channel.publish(
        exchange,
        routingKey,
        body,
        publishOptions(message, publish.sequence),
        (error: Error | null) => this.#answered(publish, error),
      );
    } catch (cause) {
      // Headers that can not be encoded, or a channel that began to close: nothing was sent.
      reject(new BusUnavailableError('the message could not be sent', { cause }));
      return;
    }
    this.#unsettled.begin();
    this.#inFlight.add(publish);
  }

  /** The broker's confirm or refusal, or the end of the channel. */
  #answered(publish: InFlightPublish, error: Error | null): void {
    this.#unsettled.end();
    if (!this.#inFlight.remove(publish)) return;
    if (error !== null) publish.reject(this.#failureOf(publish, error));
    else if (publish.isReturned) publish.reject(unroutable(publish));
    else publish.resolve();
    if (this.#waiting.count > 0) this.#sendWaiting();
  }

  #failureOf(publish: InFlightPublish, error: Error): Error {
    if (error.message === 'message nacked') return new RefusedError('RabbitMQ refused the message');
    if (publish.exchange === this.#missingExchange) {
      return new UnroutableError(`there is no exchange "${publish.exchange}"`);
    }
    return new UnconfirmedError('the channel closed before the confirm', { cause: error });
  }

  #sendWaiting(): void {
    if (this.#channel.current === null) return;
    for (let first = this.#waiting.first(); first; first = this.#waiting.first()) {
      if (!this.#inFlight.hasRoomFor(first.message.body.length)) return;
      this.#waiting.takeFirst();
      this.#send(first.message, first.resolve, first.reject);
    }
  }

  async #prepare(channel: ConfirmChannel): Promise<void> {
    this.#missingExchange = undefined;
    // A return comes before the (positive) confirm of the same message.
    channel.on('return', ({ properties }) => this.#inFlight.markReturned(sequenceOf(properties.appId)));
    // Comes before the callbacks of the messages in flight are told that the channel is closed.
    channel.on('error', ({ message }) => {
      this.#missingExchange = /no exchange '(.*?)' in vhost/.exec(message)?.[1];
    });
  }

  /** One timer for all messages, and none while there are none: their time is all the same, so the oldest decides. */
  #startSweeping(): NodeJS.Timeout {
    const interval = Math.min(
      this.#options.confirmTimeoutMilliseconds / 10,
      LONGEST_SWEEP_INTERVAL_MILLISECONDS,
    );
    return setInterval(() => this.#sweep(), interval);
  }

  #sweep(): void {
    const now = performance.now();
    this.#inFlight.giveUpOverdue(now);
    this.#waiting.rejectOverdue(now);
    this.#sendWaiting();
    if (this.#inFlight.overdue > STUCK_WINDOWS * this.#options.confirmWindow) {
      this.#options.logger.error(
        { overdue: this.#inFlight.overdue },
        'RabbitMQ confirms nothing; connecting anew',
      );
      this.#options.stuck();
    }
    if (this.#inFlight.count === 0 && this.#waiting.count === 0) {
      clearInterval(this.#sweepTimer);
      this.#sweepTimer = undefined;
    }
  }
}

function unroutable({ exchange, routingKey }: InFlightPublish): UnroutableError {
  return new UnroutableError(`no queue takes routing key "${routingKey}" of exchange "${exchange}"`);
}
