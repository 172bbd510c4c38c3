import type { Logger } from '@millrace/service';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import { InHand } from '../in-hand';
import { MAXIMUM_BODY_BYTES } from '../maximum-body-bytes';
import { BusUnavailableError, RefusedError, UnconfirmedError, UnroutableError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';
import { InFlightPublishes, type InFlightPublish } from './in-flight-publishes';
import { publishOptions, sequenceOf } from './publish-options';
import { SupervisedChannel } from './supervised-channel';
import { TargetAnswers, type SilentTarget } from './target-answers';
import { WaitingPublishes, type WaitingPublish } from './waiting-publishes';

const MEBIBYTE = 1024 * 1024;
const LONGEST_SWEEP_INTERVAL_MILLISECONDS = 250;
/** So many windows of unanswered messages are enough: amqplib keeps them all in memory. */
const STUCK_WINDOWS = 4;
/** What may be unanswered when one more message is sent as a test; RabbitMQ reads 400 ahead of a channel that waits. */
const MOST_UNANSWERED_TESTS = 300;

export interface PublisherOptions {
  /** For the log. */
  readonly name: string;
  /** A channel that confirms nothing for so many confirm timeouts is given up, with its connection. */
  readonly stuckTimeouts: number;
  readonly confirmWindow: number;
  readonly confirmTimeoutMilliseconds: number;
  readonly logger: Logger;
  /** Called when the broker has not answered for so long that only a new connection can help. */
  readonly stuck: () => void;
  /** Declares the queue of this message again, which no queue took. False when it was not declared here. */
  readonly restoreQueue: (message: OutgoingMessage) => Promise<boolean>;
}

/** Publishes on a confirm channel of its own, many messages at a time, each with its own outcome. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #inFlight: InFlightPublishes;
  readonly #waiting: WaitingPublishes;
  readonly #unsettled = new InHand();
  readonly #targets = new TargetAnswers();
  readonly #channel: SupervisedChannel<ConfirmChannel>;
  #nextSequence = 1;
  #isBlocked = false;
  #isClosed = false;
  /** The exchange whose absence closed the last channel. */
  #missingExchange: string | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  /** Messages wait meanwhile. */
  #isOpening = false;
  /** When the first message was sent since RabbitMQ last answered one. */
  #unansweredSince: number | null = null;

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
        name: options.name,
        create: (model) => model.createConfirmChannel(),
        prepare: (channel) => this.#prepare(channel),
        lost: () => this.#waiting.rejectAll('the channel to RabbitMQ was closed'),
      },
      options.logger,
    );
  }

  /** The targets that refuse messages or do not confirm them. */
  problems(): SilentTarget[] {
    return this.#targets.problems(performance.now());
  }

  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Opens the channel on a new connection. */
  async connected(model: ChannelModel): Promise<void> {
    this.#isBlocked = false;
    this.#isOpening = true;
    try {
      await this.#channel.attach(model);
      this.#sendWaiting();
    } finally {
      this.#isOpening = false;
    }
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
    return this.#publish(message, false);
  }

  #publish(given: OutgoingMessage, isLastTry: boolean): Promise<void> {
    const message = this.#targets.areAllWell ? given : this.#redirected(given);
    const problem = this.#problemWith(message);
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      if (!this.#isOpening && this.#waiting.count === 0 && this.#inFlight.hasRoomFor(message.body.length)) {
        this.#send({ message, isLastTry, since: 0, resolve, reject });
      } else {
        this.#waiting.add({ message, isLastTry, since: performance.now(), resolve, reject });
      }
      this.#sweepTimer ??= this.#startSweeping();
    });
  }

  /** To its alternative while the confirms of its first target are late. */
  #redirected(message: OutgoingMessage): OutgoingMessage {
    const { exchange, routingKey, alternativeRoutingKey } = message;
    if (alternativeRoutingKey === undefined) return message;
    return this.#targets.isLate(exchange, routingKey, performance.now()) ? alternativeOf(message) : message;
  }

  /** Takes no more messages and waits for the confirms of those in flight, at most their own time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#unsettled.none(this.#options.confirmTimeoutMilliseconds);
    this.#channel.detach();
    this.#waiting.rejectAll('the bus is closed');
    clearInterval(this.#sweepTimer);
  }

  #problemWith({ body, exchange, routingKey }: OutgoingMessage): Error | null {
    if (this.#isClosed) return new BusUnavailableError('the bus is closed');
    if (this.#isBlocked) return new BusUnavailableError('RabbitMQ blocks publishers');
    if (this.#channel.current === null && !this.#isOpening)
      return new BusUnavailableError('not connected to RabbitMQ');
    if (this.#isShut(exchange, routingKey)) {
      return new BusUnavailableError(`RabbitMQ does not confirm messages to "${routingKey}"`);
    }
    if (body.length <= MAXIMUM_BODY_BYTES) return null;
    // RabbitMQ would close the channel, and take the other messages in flight along.
    return new RefusedError(`a body of ${body.length} bytes is larger than ${MAXIMUM_BODY_BYTES}`);
  }

  #isShut(exchange: string, routingKey: string): boolean {
    if (this.#targets.areAllWell) return false;
    if (this.#inFlight.overdue > MOST_UNANSWERED_TESTS) return true;
    return this.#targets.isShut(exchange, routingKey, performance.now());
  }

  #send({ message, isLastTry, resolve, reject }: WaitingPublish): void {
    const channel = this.#channel.current;
    if (channel === null) {
      reject(new BusUnavailableError('not connected to RabbitMQ'));
      return;
    }
    const { exchange, routingKey, body } = message;
    const publish: InFlightPublish = {
      sequence: this.#nextSequence++,
      message,
      isLastTry,
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
    this.#unansweredSince ??= publish.sentAt;
    this.#unsettled.begin();
    this.#inFlight.add(publish);
  }

  /** The broker's confirm or refusal, or the end of the channel. */
  #answered(publish: InFlightPublish, error: Error | null): void {
    this.#unsettled.end();
    if (error === null) this.#confirmed(publish.message);
    if (!this.#inFlight.remove(publish)) return;
    if (error !== null) publish.reject(this.#failureOf(publish, error));
    else if (publish.isReturned) this.#returned(publish);
    else publish.resolve();
    if (this.#waiting.count > 0) this.#sendWaiting();
  }

  #confirmed({ exchange, routingKey }: OutgoingMessage): void {
    this.#unansweredSince = null;
    if (!this.#targets.areAllWell) this.#targets.confirmed(exchange, routingKey);
  }

  /** No queue took it: its alternative may; a queue that was deleted is declared again. */
  #returned({ message, isLastTry, resolve, reject }: InFlightPublish): void {
    if (message.alternativeRoutingKey !== undefined) {
      this.#publish(alternativeOf(message), isLastTry).then(resolve, reject);
      return;
    }
    if (isLastTry) {
      reject(unroutable(message));
      return;
    }
    this.#options
      .restoreQueue(message)
      .catch(() => false)
      .then((isRestored) => (isRestored ? this.#publish(message, true) : Promise.reject(unroutable(message))))
      .then(resolve, reject);
  }

  #failureOf({ message: { exchange, routingKey } }: InFlightPublish, error: Error): Error {
    if (error.message === 'message nacked') {
      this.#unansweredSince = null;
      this.#targets.refused(exchange, routingKey, performance.now());
      return new RefusedError('RabbitMQ refused the message');
    }
    if (exchange === this.#missingExchange) {
      return new UnroutableError(`there is no exchange "${exchange}"`);
    }
    return new UnconfirmedError('the channel closed before the confirm', { cause: error });
  }

  #sendWaiting(): void {
    if (this.#channel.current === null) return;
    for (let first = this.#waiting.first(); first; first = this.#waiting.first()) {
      if (!this.#inFlight.hasRoomFor(first.message.body.length)) return;
      this.#waiting.takeFirst();
      this.#send(first);
    }
  }

  async #prepare(channel: ConfirmChannel): Promise<void> {
    this.#missingExchange = undefined;
    this.#targets.forget();
    this.#unansweredSince = null;
    // A return comes before the (positive) confirm of the same message.
    channel.on('return', ({ properties }) => this.#inFlight.markReturned(sequenceOf(properties.appId)));
    // Comes before the callbacks of the messages in flight are told that the channel is closed.
    channel.on('error', ({ message }) => {
      this.#missingExchange = /no exchange '(.*?)' in vhost/.exec(message)?.[1];
    });
  }

  /** Whether only a new connection can help: too much is unanswered, or nothing was answered for too long. */
  #isStuck(now: number): boolean {
    const { confirmWindow, confirmTimeoutMilliseconds, stuckTimeouts } = this.#options;
    const { overdue } = this.#inFlight;
    if (overdue > STUCK_WINDOWS * confirmWindow) return true;
    const silentFor = now - (this.#unansweredSince ?? now);
    return overdue > 0 && silentFor > stuckTimeouts * confirmTimeoutMilliseconds && !this.#isBlocked;
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
    this.#inFlight.giveUpOverdue(now, ({ exchange, routingKey }, isTimedOut) =>
      this.#targets.silent(exchange, routingKey, isTimedOut, now),
    );
    this.#waiting.rejectOverdue(now);
    this.#sendWaiting();
    if (this.#isStuck(now)) {
      this.#unansweredSince = null;
      this.#options.logger.error(
        { overdue: this.#inFlight.overdue },
        'RabbitMQ confirms nothing; connecting anew',
      );
      this.#options.stuck();
    }
    if (this.#inFlight.count === 0 && this.#waiting.count === 0 && this.#inFlight.overdue === 0) {
      clearInterval(this.#sweepTimer);
      this.#sweepTimer = undefined;
    }
  }
}

/** The same message to where it may go instead. */
function alternativeOf({ alternativeRoutingKey, ...message }: OutgoingMessage): OutgoingMessage {
  return alternativeRoutingKey === undefined ? message : { ...message, routingKey: alternativeRoutingKey };
}

function unroutable({ exchange, routingKey }: OutgoingMessage): UnroutableError {
  return new UnroutableError(`no queue takes routing key "${routingKey}" of exchange "${exchange}"`);
}
