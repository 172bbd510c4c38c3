import type { OutgoingMessage } from '../message-bus';
import { UnconfirmedError } from '../message-bus-errors';

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
