import { connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** A proxy between a client and a server that injects faults on request. */
export class TcpProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #isRefusing = false;
  #isStalled = false;
  #trap: { readonly bytes: Buffer; readonly sprung: () => void } | null = null;
  #refused = 0;

  /** Listens on a free port of the loopback interface. */
  static async listen(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((client) => {
      if (this.#isRefusing) {
        this.#refused += 1;
        client.destroy();
        return;
      }
      const link = { client, server: connect({ ...target, noDelay: true }) };
      client.setNoDelay(true);
      this.#links.add(link);
      this.#join(link);
    });
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is not listening');
    return address.port;
  }

  get linkCount(): number {
    return this.#links.size;
  }

  get refusedCount(): number {
    return this.#refused;
  }

  /** Cuts all connections at once. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Refuses new connections, or accepts them again. */
  refuse(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
  }

  /** Breaks the connection whose client sends these bytes next; they do not arrive. */
  cutAt(bytes: Buffer, sprung: () => void): void {
    this.#trap = { bytes, sprung };
  }

  /** Stops forwarding in both directions without closing connections, or resumes it. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    for (const link of this.#links) this.#flow(link);
  }

  /** Sends bytes on every connection as if they came from the other side. */
  inject(bytes: Buffer, { to }: { readonly to: 'client' | 'server' }): void {
    for (const link of this.#links) link[to].write(bytes);
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(link: Link): void {
    const { client, server } = link;
    client.on('data', (bytes: Buffer) => {
      const trap = this.#trap;
      if (trap === null || !bytes.includes(trap.bytes)) return void server.write(bytes);
      this.#trap = null;
      client.resetAndDestroy();
      server.resetAndDestroy();
      trap.sprung();
    });
    server.on('data', (bytes) => client.write(bytes));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#links.delete(link);
        other.destroy();
      });
    }
    this.#flow(link);
  }

  #flow({ client, server }: Link): void {
    for (const socket of [client, server]) {
      if (this.#isStalled) socket.pause();
      else socket.resume();
    }
  }
}
