import { DoubleEndedQueue } from '../double-ended-queue';
import { BusUnavailableError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';

/** A message that is not sent yet, because the confirm window is full. */
export interface QueuedPublish {
  readonly message: OutgoingMessage;
  /** This is the second try after no queue took the message; there is no third. */
  readonly isLastTry: boolean;
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
