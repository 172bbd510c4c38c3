import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { EXIT_CONFIGURATION } from './exit-codes';
import { listenShared } from './listen-shared';
import { listenFailure } from './listen-failure.cjs';
import { StartError } from './start-error';

export interface ReservedPlace {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Beginning of the command that a failure suggests, such as `npm start --`. */
  readonly command: string;
  /** Further options for the case that another Millrace has the port: ` --data other`. */
  readonly besidesAnother?: string;
}

/** Maximum number of connections that wait for the program; more are refused. */
const MAXIMUM_WAITING = 1_000;

/**
 * A port that a program reserves while it starts, so that it creates nothing if the port is not available. Connections
 * that arrive in the meantime wait, unread, for the server that takes over.
 */
export class ReservedPort {
  readonly host: string;
  readonly port: number;
  /** Whether further sockets of this process can listen on the port. */
  readonly isShared: boolean;
  readonly #listener: Server;
  readonly #waiting: readonly Socket[];

  /** Reserves the port. Rejects with StartError when the port or the address is not available. */
  static async reserve(place: ReservedPlace): Promise<ReservedPort> {
    const listener = createServer({ pauseOnConnect: true });
    listener.maxConnections = MAXIMUM_WAITING;
    const waiting: Socket[] = [];
    listener.on('connection', (socket) => {
      // A caller that disconnects while it waits is not an error of this program.
      socket.on('error', () => undefined);
      waiting.push(socket);
    });
    try {
      const isShared = await listenShared(listener, place);
      return new ReservedPort(listener, waiting, { host: place.host, isShared });
    } catch (error) {
      throw await startError(error, place);
    }
  }

  private constructor(
    listener: Server,
    waiting: readonly Socket[],
    { host, isShared }: { readonly host: string; readonly isShared: boolean },
  ) {
    this.host = host;
    this.isShared = isShared;
    this.#listener = listener;
    this.#waiting = waiting;
    this.port = (listener.address() as AddressInfo).port;
  }

  /** Lets another server listen on the port from now on, and serve the waiting connections. */
  async transferTo(server: Server): Promise<void> {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(this.#listener, resolve),
    );
    for (const socket of this.#waiting) {
      if (socket.destroyed) continue;
      server.emit('connection', socket);
      socket.resume();
    }
  }

  /** Releases the port when the program does not start. Must not be called after `transferTo`. */
  release(): void {
    this.#listener.close();
    for (const socket of this.#waiting) socket.destroy();
  }
}

async function startError(error: unknown, place: ReservedPlace): Promise<StartError> {
  const { sentence, isWrongHost } = await listenFailure(error, place);
  return new StartError(sentence, { exitCode: isWrongHost ? EXIT_CONFIGURATION : 1, cause: error });
}
