import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { Asked, WireReader } from './wire-readers';

/** Stands before a server and writes down what its clients ask of it. */
export interface CountingProxy {
  /** The server's URL, leading here. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Forgets what was asked until now, and gives it. */
  take(): readonly Asked[];
  close(): Promise<void>;
}

/** `createReader` makes a reader for each connection. */
export async function startCountingProxy(
  serverUrl: string,
  createReader: () => WireReader,
): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const asked: Asked[] = [];
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    const read = createReader();
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let unit = read(rest); unit !== null; unit = read(rest)) {
        rest = rest.subarray(unit.length);
        if (unit.asked !== undefined) asked.push(unit.asked);
      }
    });
    client.pipe(server);
    server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    asked,
    take: () => asked.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
