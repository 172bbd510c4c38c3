import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { EXIT_CONFIGURATION } from './exit-codes';
import { listenFailure } from './listen-failure.cjs';
import { StartError } from './start-error';

export interface ReservedPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Begins the command that a failure suggests, such as `npm start --`. */
  readonly command: string;
  /** What else must differ from a Millrace that has the port, as options: ` --data other`. */
  readonly besidesAnother?: string;
}

/** How many connections may wait for the program to be ready; more are refused. */
const MAXIMUM_WAITING = 1_000;

/**
 * A port that a program holds while it starts, so that it makes nothing when the port cannot be had. Connections that
 * come meanwhile wait, unread, for the server that takes over.
 */
export class ReservedPort {
  readonly port: number;
  readonly #holder: Server;
  readonly #waiting: readonly Socket[];

  /** Rejects with StartError when the port or the address cannot be had. */
  static async reserve(place: ReservedPlace): Promise<ReservedPort> {
    const holder = createServer({ pauseOnConnect: true });
    holder.maxConnections = MAXIMUM_WAITING;
    const waiting: Socket[] = [];
    holder.on('connection', (socket) => {
      // A caller that leaves while it waits is no error of this program.
      socket.on('error', () => undefined);
      waiting.push(socket);
    });
    try {
      await new Promise<void>((resolve, reject) =>
        holder.once('error', reject).listen(place.port, place.host, resolve),
      );
    } catch (error) {
      throw await startError(error, place);
    }
    return new ReservedPort(holder, waiting);
  }

  private constructor(holder: Server, waiting: readonly Socket[]) {
    this.#holder = holder;
    this.#waiting = waiting;
    this.port = (holder.address() as AddressInfo).port;
  }

  /** Lets another server listen here from now on, and serve those who wait. */
  async handOver(server: Server): Promise<void> {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.#holder, resolve));
    for (const socket of this.#waiting) {
      if (socket.destroyed) continue;
      server.emit('connection', socket);
      socket.resume();
    }
  }

  /** Gives the port back, of a program that does not start. Not after it was handed over. */
  release(): void {
    this.#holder.close();
    for (const socket of this.#waiting) socket.destroy();
  }
}

async function startError(error: unknown, place: ReservedPlace): Promise<StartError> {
  const { sentence, isWrongHost } = await listenFailure(error, place);
  return new StartError(sentence, { exitCode: isWrongHost ? EXIT_CONFIGURATION : 1, cause: error });
}
