import type { Logger } from '@millrace/service';
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { InFlightCounter } from '../in-flight-counter';
import { MAXIMUM_BODY_BYTES } from '../maximum-body-bytes';
import { BusUnavailableError, RefusedError, UnconfirmedError, UnroutableError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';
import {
  ConfirmSilence,
  type ConfirmSilenceOptions,
  InFlightPublishes,
  type InFlightPublish,
  PublishQueue,
  type QueuedPublish,
} from './publish-window';
import { SupervisedChannel } from './supervised-channel';
import { TargetHealth, type TargetProblem } from './target-health';

const MEBIBYTE = 1024 * 1024;
const MAXIMUM_SWEEP_INTERVAL_MILLISECONDS = 250;
/** Maximum number of unanswered messages for a probe; RabbitMQ reads 400 ahead of a channel that waits. */
const MAXIMUM_UNANSWERED_PROBES = 300;

export interface PublisherOptions extends ConfirmSilenceOptions {
  /** Name in the log. */
  readonly name: string;
  readonly logger: Logger;
  /** Called when the broker has not answered for so long that only a new connection can help. */
  readonly onStuck: () => void;
  /** Declares the missing queue of this message again. False when it was not declared here. */
  readonly restoreQueue: (message: OutgoingMessage) => Promise<boolean>;
}

/** Publishes on a separate confirm channel, many messages concurrently, each with its own outcome. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #inFlight: InFlightPublishes;
  readonly #queued: PublishQueue;
  readonly #unsettled = new InFlightCounter();
  readonly #targets = new TargetHealth();
  readonly #silence: ConfirmSilence;
  readonly #channel: SupervisedChannel<ConfirmChannel>;
  #nextSequence = 1;
  #isBlocked = false;
  #isClosed = false;
  /** The exchange whose absence closed the last channel. */
  #missingExchange: string | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  /** While true, messages are queued. */
  #isOpening = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#silence = new ConfirmSilence(options);
    const timeoutMilliseconds = options.confirmTimeoutMilliseconds;
    this.#inFlight = new InFlightPublishes({
      count: options.confirmWindow,
      bytes: 64 * MEBIBYTE,
      timeoutMilliseconds,
    });
    this.#queued = new PublishQueue({ count: 20_000, bytes: 256 * MEBIBYTE, timeoutMilliseconds });
    this.#channel = new SupervisedChannel<ConfirmChannel>(
      {
        name: options.name,
        create: (model) => model.createConfirmChannel(),
        prepare: (channel) => this.#prepare(channel),
        lost: () => this.#queued.rejectAll('the channel to RabbitMQ was closed'),
      },
      options.logger,
    );
  }

  /** Returns the targets that refuse messages or do not confirm them. */
  problems(): TargetProblem[] {
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
      this.#sendQueued();
    } finally {
      this.#isOpening = false;
    }
  }

  disconnected(): void {
    this.#channel.detach();
    this.#queued.rejectAll('lost the connection to RabbitMQ');
  }

  /** Circuit breaker: while RabbitMQ blocks publishers, new messages are refused at once instead of piling up. */
  block(isBlocked: boolean): void {
    this.#isBlocked = isBlocked;
    if (isBlocked) this.#queued.rejectAll('RabbitMQ blocks publishers');
  }

  /** Not async: this is the hot path, and one promise per message is enough. */
  publish(message: OutgoingMessage): Promise<void> {
    return this.#publish(message, false);
  }

  #publish(given: OutgoingMessage, isLastTry: boolean): Promise<void> {
    const message = this.#targets.areAllHealthy ? given : this.#redirected(given);
    const problem = this.#problemWith(message);
    if (problem !== null) return Promise.reject(problem);
    return new Promise((resolve, reject) => {
      if (!this.#isOpening && this.#queued.count === 0 && this.#inFlight.hasRoomFor(message.body.length)) {
        this.#send({ message, isLastTry, since: 0, resolve, reject });
      } else {
        this.#queued.add({ message, isLastTry, since: performance.now(), resolve, reject });
      }
      this.#sweepTimer ??= this.#startSweeping();
    });
  }

  /** Redirects a message to its alternative while confirms of its target are late. */
  #redirected(message: OutgoingMessage): OutgoingMessage {
    const { exchange, routingKey, alternativeRoutingKey } = message;
    if (alternativeRoutingKey === undefined) return message;
    return this.#targets.isLate(exchange, routingKey, performance.now()) ? alternativeOf(message) : message;
  }

  /** Refuses new messages and waits for the confirms of those in flight, at most one confirm timeout. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#unsettled.whenIdle(this.#options.confirmTimeoutMilliseconds);
    this.#channel.detach();
    this.#queued.rejectAll('the bus is closed');
    clearInterval(this.#sweepTimer);
  }

  #problemWith({ body, exchange, routingKey }: OutgoingMessage): Error | null {
    if (this.#isClosed) return new BusUnavailableError('the bus is closed');
    if (this.#isBlocked) return new BusUnavailableError('RabbitMQ blocks publishers');
    if (this.#channel.current === null && !this.#isOpening)
      return new BusUnavailableError('not connected to RabbitMQ');
    if (this.#isTargetUnresponsive(exchange, routingKey)) {
      return new BusUnavailableError(`RabbitMQ does not confirm messages to "${routingKey}"`);
    }
    if (body.length <= MAXIMUM_BODY_BYTES) return null;
    // RabbitMQ would close the channel and thereby fail the other messages in flight.
    return new RefusedError(`a body of ${body.length} bytes is larger than ${MAXIMUM_BODY_BYTES}`);
  }

  #isTargetUnresponsive(exchange: string, routingKey: string): boolean {
    if (this.#targets.areAllHealthy) return false;
    if (this.#inFlight.overdue > MAXIMUM_UNANSWERED_PROBES) return true;
    return this.#targets.isUnresponsive(exchange, routingKey, performance.now());
  }

  #send({ message, isLastTry, resolve, reject }: QueuedPublish): void {
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
        (error: Error | null) => this.#settled(publish, error),
      );
    } catch (cause) {
      // The headers cannot be encoded, or the channel began to close: nothing was sent.
      reject(new BusUnavailableError('could not send the message', { cause }));
      return;
    }
    this.#silence.sent(publish.sentAt);
    this.#unsettled.begin();
    this.#inFlight.add(publish);
  }

  /** Handles the broker's confirm or refusal, or the end of the channel. */
  #settled(publish: InFlightPublish, error: Error | null): void {
    this.#unsettled.end();
    if (error === null) this.#confirmed(publish.message);
    if (!this.#inFlight.remove(publish)) return;
    if (error !== null) publish.reject(this.#failureOf(publish, error));
    else if (publish.isReturned) this.#returned(publish);
    else publish.resolve();
    if (this.#queued.count > 0) this.#sendQueued();
  }

  #confirmed({ exchange, routingKey }: OutgoingMessage): void {
    this.#silence.answered();
    if (!this.#targets.areAllHealthy) this.#targets.noteConfirmed(exchange, routingKey);
  }

  /** Retries a returned message at its alternative, or after declaring its deleted queue again. */
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
      this.#silence.answered();
      this.#targets.noteRefused(exchange, routingKey, performance.now());
      return new RefusedError('RabbitMQ refused the message');
    }
    if (exchange === this.#missingExchange) {
      return new UnroutableError(`there is no exchange "${exchange}"`);
    }
    return new UnconfirmedError('the channel closed before the confirm', { cause: error });
  }

  #sendQueued(): void {
    if (this.#channel.current === null) return;
    for (let first = this.#queued.first(); first; first = this.#queued.first()) {
      if (!this.#inFlight.hasRoomFor(first.message.body.length)) return;
      this.#queued.takeFirst();
      this.#send(first);
    }
  }

  async #prepare(channel: ConfirmChannel): Promise<void> {
    this.#missingExchange = undefined;
    this.#targets.reset();
    this.#silence.answered();
    // A return arrives before the (positive) confirm of the same message.
    channel.on('return', ({ properties }) => this.#inFlight.markReturned(sequenceOf(properties.appId)));
    // This event precedes the callbacks of the messages in flight.
    channel.on('error', ({ message }) => {
      this.#missingExchange = /no exchange '(.*?)' in vhost/.exec(message)?.[1];
    });
  }

  /**
   * One timer serves all messages: they have the same timeout, so the oldest one decides. It stops without messages.
   */
  #startSweeping(): NodeJS.Timeout {
    const interval = Math.min(
      this.#options.confirmTimeoutMilliseconds / 10,
      MAXIMUM_SWEEP_INTERVAL_MILLISECONDS,
    );
    return setInterval(() => this.#sweep(), interval);
  }

  #sweep(): void {
    const now = performance.now();
    this.#inFlight.giveUpOverdue(now, ({ exchange, routingKey }, isTimedOut) =>
      this.#targets.noteLate(exchange, routingKey, isTimedOut, now),
    );
    this.#queued.rejectOverdue(now);
    this.#sendQueued();
    if (this.#silence.isStuck(now, this.#inFlight.overdue, this.#isBlocked)) {
      this.#silence.answered();
      this.#options.logger.error(
        { overdue: this.#inFlight.overdue },
        'RabbitMQ confirms nothing; reconnecting',
      );
      this.#options.onStuck();
    }
    if (this.#inFlight.count === 0 && this.#queued.count === 0 && this.#inFlight.overdue === 0) {
      clearInterval(this.#sweepTimer);
      this.#sweepTimer = undefined;
    }
  }
}

/** Returns the message with its alternative routing key. */
function alternativeOf({ alternativeRoutingKey, ...message }: OutgoingMessage): OutgoingMessage {
  return alternativeRoutingKey === undefined ? message : { ...message, routingKey: alternativeRoutingKey };
}

function unroutable({ exchange, routingKey }: OutgoingMessage): UnroutableError {
  return new UnroutableError(`no queue takes routing key "${routingKey}" of exchange "${exchange}"`);
}

const MAXIMUM_EXPIRATION_MILLISECONDS = 2 ** 32 - 1;

/** Returns the message's properties for amqplib; `sequence` identifies a mandatory message when it is returned. */
function publishOptions(message: OutgoingMessage, sequence: number): Options.Publish {
  const options: Options.Publish = { persistent: message.persistent, mandatory: message.mandatory };
  // No other reader uses this property; a message id can be missing, and repeats when a message is republished.
  if (message.mandatory) options.appId = sequence.toString(36);
  if (message.headers !== undefined) options.headers = message.headers;
  if (message.messageId !== undefined) options.messageId = message.messageId;
  if (message.correlationId !== undefined) options.correlationId = message.correlationId;
  if (message.replyTo !== undefined) options.replyTo = message.replyTo;
  if (message.type !== undefined) options.type = message.type;
  if (message.expirationMilliseconds !== undefined) {
    const whole = Math.ceil(message.expirationMilliseconds);
    options.expiration = Math.min(Math.max(whole, 0), MAXIMUM_EXPIRATION_MILLISECONDS);
  }
  return options;
}

/** Returns the sequence of a returned message. */
function sequenceOf(appId: unknown): number {
  return typeof appId === 'string' ? Number.parseInt(appId, 36) : Number.NaN;
}
