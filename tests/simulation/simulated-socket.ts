import { Duplex } from 'node:stream';

/** Runs work as the owner of one end of a connection; does nothing when the owner is dead. */
type RunAsOwner = (work: () => void) => void;

/**
 * One end of a connection: data that is written here can be read at the other end; destroying one end destroys both.
 */
class SimulatedSocket extends Duplex {
  peer: SimulatedSocket | null = null;
  readonly bytesRead = 1;
  readonly #runAsOwner: RunAsOwner;

  constructor(runAsOwner: RunAsOwner) {
    super();
    this.#runAsOwner = runAsOwner;
    // The user of the socket is notified of the break by the close event.
    this.on('error', () => undefined);
  }

  override _read(): void {
    // The peer pushes its data.
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
    if (peer) peer.#runAsOwner(() => peer.destroy());
    done(error);
  }

  receive(chunk: Buffer | null): void {
    this.#runAsOwner(() => {
      if (!this.destroyed) this.push(chunk);
    });
  }
}

/** Returns the two ends of a connection, each with the function that runs work as its owner. */
export function simulatedSockets(owners: readonly [RunAsOwner, RunAsOwner]): readonly [Duplex, Duplex] {
  const [one, other] = [new SimulatedSocket(owners[0]), new SimulatedSocket(owners[1])];
  one.peer = other;
  other.peer = one;
  return [one, other];
}
