import { Duplex } from 'node:stream';

/** Does something as whoever has this end of a connection; not at all when he is gone. */
type Hand = (work: () => void) => void;

/** One end of a connection: what is written here can be read at the other end, and it breaks at both. */
class SimulatedSocket extends Duplex {
  peer: SimulatedSocket | null = null;
  readonly bytesRead = 1;
  readonly #hand: Hand;

  constructor(hand: Hand) {
    super();
    this.#hand = hand;
    // Whoever uses the socket hears of the break by its close.
    this.on('error', () => undefined);
  }

  override _read(): void {
    // Comes by itself.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.peer?.receive(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.peer?.receive(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { peer } = this;
    if (peer) peer.#hand(() => peer.destroy());
    done(error);
  }

  receive(chunk: Buffer | null): void {
    this.#hand(() => {
      if (!this.destroyed) this.push(chunk);
    });
  }
}

/** The two ends of a connection, each with the hand of whoever has it. */
export function simulatedSockets(hands: readonly [Hand, Hand]): readonly [Duplex, Duplex] {
  const [one, other] = [new SimulatedSocket(hands[0]), new SimulatedSocket(hands[1])];
  one.peer = other;
  other.peer = one;
  return [one, other];
}
