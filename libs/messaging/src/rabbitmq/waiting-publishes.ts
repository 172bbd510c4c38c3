import { DoubleEndedQueue } from '../double-ended-queue';
import { BusUnavailableError } from '../message-bus-errors';
import type { OutgoingMessage } from '../message-bus';

/** A message that has not been sent, because the confirm window is full. */
export interface WaitingPublish {
  readonly message: OutgoingMessage;
  /** Sent again after no queue took it: it is not sent a third time. */
  readonly isLastTry: boolean;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface WaitingLimits {
  readonly count: number;
  readonly bytes: number;
  readonly timeoutMilliseconds: number;
}

/** The line in front of the confirm window: first come, first sent; bounded in number, bytes and time. */
export class WaitingPublishes {
  readonly #limits: WaitingLimits;
  readonly #line = new DoubleEndedQueue<WaitingPublish>();
  #bytes = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#line.length;
  }

  /** Rejects at once when the line is too long. */
  add(waiting: WaitingPublish): void {
    const bytes = this.#bytes + waiting.message.body.length;
    if (this.#line.length >= this.#limits.count || bytes > this.#limits.bytes) {
      waiting.reject(new BusUnavailableError('too many messages wait to be published'));
      return;
    }
    this.#bytes = bytes;
    this.#line.addLast(waiting);
  }

  first(): WaitingPublish | undefined {
    return this.#line.first();
  }

  takeFirst(): WaitingPublish | undefined {
    const waiting = this.#line.takeFirst();
    if (waiting) this.#bytes -= waiting.message.body.length;
    return waiting;
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
