import { Server } from 'node:http';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server as Listener, Socket } from 'node:net';
import { listenAlso, listenShared } from '@millrace/service';
import type { ListenAddress } from './listen';

/**
 * Node accepts one connection for each listening socket in a turn of the event loop. Under load a turn takes tens of
 * milliseconds, and with one socket a new caller would wait for as many turns as there are callers before them.
 */
const SOCKETS = 64;

/**
 * A server of HTTP with several listening sockets on one port, where the system can share a port. Emits `error` for a
 * connection that the system could not accept on one of them.
 */
export class HttpServer extends Server {
  readonly #others: Listener[] = [];
  #open = 0;

  constructor(options: ServerOptions, handle: RequestListener) {
    super(options, handle);
    this.on('connection', (socket: Socket) => {
      this.#open += 1;
      socket.once('close', () => (this.#open -= 1));
      // Node counts the connections of each socket for itself.
      if (this.#open > this.maxConnections) socket.destroy();
    });
  }

  /** Resolves to the port once the server accepts connections. Rejects when the address is not available. */
  async listenAt({ host, port }: ListenAddress): Promise<number> {
    const isShared = await listenShared(this, { host, port });
    const address = { host, port: (this.address() as AddressInfo).port };
    if (isShared) await this.acceptMore(address);
    return address.port;
  }

  /** Adds the further sockets to the port on which this server listens and which it shares. */
  async acceptMore(address: ListenAddress): Promise<void> {
    for (let count = 1; count < SOCKETS; count += 1) {
      const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        this.emit('connection', socket),
      );
      this.#others.push(other);
      await listenAlso(other, address);
      other.on('error', (error) => this.emit('error', error));
    }
  }

  /** Counts the connections of all sockets. */
  override getConnections(callback: (error: Error | null, count: number) => void): this {
    callback(null, this.#open);
    return this;
  }

  /** Stops accepting connections; calls back when all have ended. */
  override close(callback?: (error?: Error) => void): this {
    const others = this.#others
      .splice(0)
      .map((other) => new Promise<void>((resolve) => other.close(() => resolve())));
    return super.close((error) => void Promise.all(others).then(() => callback?.(error)));
  }
}
