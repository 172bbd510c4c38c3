import { DoubleEndedQueue } from '../double-ended-queue';
import { BusUnavailableError, UnconfirmedError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';

/** A message that is not sent yet, because the confirm window is full. */
export interface QueuedPublish {
  readonly message: OutgoingMessage;
  /** This is the second try after no queue took the message; there is no third. */
  readonly isLastTry: boolean;
  /** When it was added: milliseconds of `performance.now`, as in all of this file. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface PublishQueueLimits {
  readonly count: number;
  readonly bytes: number;
  readonly timeoutMilliseconds: number;
}

/** Messages that wait for the confirm window: first in, first out; limited in number, bytes and time. */
export class PublishQueue {
  readonly #limits: PublishQueueLimits;
  readonly #queue = new DoubleEndedQueue<QueuedPublish>();
  #bytes = 0;

  constructor(limits: PublishQueueLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#queue.length;
  }

  /** Rejects the message at once when a limit is reached. */
  add(publish: QueuedPublish): void {
    const bytes = this.#bytes + publish.message.body.length;
    if (this.#queue.length >= this.#limits.count || bytes > this.#limits.bytes) {
      publish.reject(new BusUnavailableError('too many messages are waiting to be published'));
      return;
    }
    this.#bytes = bytes;
    this.#queue.addLast(publish);
  }

  first(): QueuedPublish | undefined {
    return this.#queue.first();
  }

  takeFirst(): QueuedPublish | undefined {
    const publish = this.#queue.takeFirst();
    if (publish) this.#bytes -= publish.message.body.length;
    return publish;
  }

  rejectOverdue(nowMilliseconds: number): void {
    const { timeoutMilliseconds } = this.#limits;
    for (let first = this.first(); first; first = this.first()) {
      if (first.since + timeoutMilliseconds > nowMilliseconds) return;
      this.takeFirst();
      first.reject(new BusUnavailableError(`no room in the confirm window within ${timeoutMilliseconds} ms`));
    }
  }

  rejectAll(reason: string): void {
    for (let first = this.takeFirst(); first; first = this.takeFirst()) {
      first.reject(new BusUnavailableError(reason));
    }
  }
}

/** Confirms take milliseconds; one that takes longer than this indicates a problem of its queue. */
const LATE_MILLISECONDS = 2_000;

/** A message that was written to the socket and is not confirmed yet. */
export interface InFlightPublish {
  /** Unique in this process; sent as the message's `appId`, which identifies a returned message. */
  readonly sequence: number;
  readonly message: OutgoingMessage;
  readonly bytes: number;
  readonly sentAt: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** This is the second try after no queue took the message; there is no third. */
  readonly isLastTry: boolean;
  /** The broker returned it because no queue took it; its confirm is still to come. */
  isReturned: boolean;
}

export interface InFlightLimits {
  readonly count: number;
  readonly bytes: number;
  readonly timeoutMilliseconds: number;
}

/** The confirm window: sent but unconfirmed messages, oldest first, limited in number and bytes. */
export class InFlightPublishes {
  readonly #limits: InFlightLimits;
  readonly #bySequence = new Map<number, InFlightPublish>();
  #bytes = 0;
  #overdue = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#bySequence.size;
  }

  /** Number of messages that timed out and that the broker still has not confirmed. */
  get overdue(): number {
    return this.#overdue;
  }

  /** Whether the message fits. An empty window has room for any message. */
  hasRoomFor(bytes: number): boolean {
    if (this.#bySequence.size === 0) return true;
    return this.#bySequence.size < this.#limits.count && this.#bytes + bytes <= this.#limits.bytes;
  }

  add(publish: InFlightPublish): void {
    this.#bySequence.set(publish.sequence, publish);
    this.#bytes += publish.bytes;
  }

  markReturned(sequence: number): void {
    const publish = this.#bySequence.get(sequence);
    if (publish) publish.isReturned = true;
  }

  /** False when the message timed out before and its confirm is late. */
  remove(publish: InFlightPublish): boolean {
    if (!this.#bySequence.delete(publish.sequence)) {
      this.#overdue -= 1;
      return false;
    }
    this.#bytes -= publish.bytes;
    return true;
  }

  /** Reports messages whose confirm is late, and rejects those that exceed the timeout. */
  giveUpOverdue(
    nowMilliseconds: number,
    onLate: (message: OutgoingMessage, isTimedOut: boolean) => void,
  ): void {
    const { timeoutMilliseconds } = this.#limits;
    const late = Math.min(LATE_MILLISECONDS, timeoutMilliseconds);
    for (const publish of this.#bySequence.values()) {
      if (publish.sentAt + late > nowMilliseconds) return;
      const isTimedOut = publish.sentAt + timeoutMilliseconds <= nowMilliseconds;
      onLate(publish.message, isTimedOut);
      if (!isTimedOut) continue;
      this.remove(publish);
      this.#overdue += 1;
      publish.reject(new UnconfirmedError(`no confirm within ${timeoutMilliseconds} ms`));
    }
  }
}

/** Maximum number of windows of unanswered messages, because amqplib keeps them in memory. */
const MAXIMUM_UNANSWERED_WINDOWS = 4;

export interface ConfirmSilenceOptions {
  /** Number of confirm timeouts without an answer after which the channel and its connection are given up. */
  readonly stuckTimeouts: number;
  readonly confirmWindow: number;
  readonly confirmTimeoutMilliseconds: number;
}

/** Measures how long RabbitMQ has not answered the messages of a channel. Times are those of `performance.now`. */
export class ConfirmSilence {
  readonly #options: ConfirmSilenceOptions;
  /** Time of the first message that was sent after RabbitMQ's last answer. */
  #since: number | null = null;

  constructor(options: ConfirmSilenceOptions) {
    this.#options = options;
  }

  sent(now: number): void {
    this.#since ??= now;
  }

  answered(): void {
    this.#since = null;
  }

  /** Whether only a new connection can help: too many messages are unanswered, or for too long. */
  isStuck(now: number, overdue: number, isBlocked: boolean): boolean {
    const { confirmWindow, confirmTimeoutMilliseconds, stuckTimeouts } = this.#options;
    if (overdue > MAXIMUM_UNANSWERED_WINDOWS * confirmWindow) return true;
    const silentFor = now - (this.#since ?? now);
    return overdue > 0 && silentFor > stuckTimeouts * confirmTimeoutMilliseconds && !isBlocked;
  }
}
