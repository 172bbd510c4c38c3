import type { OutgoingMessage } from '../message-bus';
import { UnconfirmedError } from '../message-bus-errors';

/** Confirms take milliseconds; one that is out for so long says that its queue has a problem. */
const LATE_MILLISECONDS = 2_000;

/** A message that was handed to the socket and has no confirm yet. */
export interface InFlightPublish {
  /** Unique in this process; travels as the message's `appId`, by which a returned message is known again. */
  readonly sequence: number;
  readonly message: OutgoingMessage;
  readonly bytes: number;
  readonly sentAt: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Sent again after no queue took it: it is not sent a third time. */
  readonly isLastTry: boolean;
  /** The broker found no queue for it; its confirm is still to come. */
  isReturned: boolean;
}

export interface InFlightLimits {
  readonly count: number;
  readonly bytes: number;
  readonly timeoutMilliseconds: number;
}

/** The confirm window: what is sent and not confirmed, oldest first, bounded in number and in bytes. */
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

  /** Given up by us, and still not confirmed by the broker. */
  get overdue(): number {
    return this.#overdue;
  }

  /** One message always fits into an empty window, whatever its size. */
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

  /** False when it was given up before; its confirm comes late. */
  remove(publish: InFlightPublish): boolean {
    if (!this.#bySequence.delete(publish.sequence)) {
      this.#overdue -= 1;
      return false;
    }
    this.#bytes -= publish.bytes;
    return true;
  }

  /** Tells what has waited for its confirm for longer than usual, and rejects what has waited too long. */
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
