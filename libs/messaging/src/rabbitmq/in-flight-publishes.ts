import { UnconfirmedError } from '../message-bus-errors';

/** A message that was handed to the socket and has no confirm yet. */
export interface InFlightPublish {
  /** Unique in this process; travels as the message's `appId`, by which a returned message is known again. */
  readonly sequence: number;
  readonly exchange: string;
  readonly routingKey: string;
  readonly bytes: number;
  readonly sentAt: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
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

  /** Rejects what has waited too long for its confirm. */
  giveUpOverdue(nowMilliseconds: number): void {
    const { timeoutMilliseconds } = this.#limits;
    for (const publish of this.#bySequence.values()) {
      if (publish.sentAt + timeoutMilliseconds > nowMilliseconds) return;
      this.remove(publish);
      this.#overdue += 1;
      publish.reject(new UnconfirmedError(`no confirm within ${timeoutMilliseconds} ms`));
    }
  }
}
