import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { WireRequest, WireReader } from './wire-readers';

/** A proxy in front of a server that records the requests of its clients. */
export interface CountingProxy {
  /** The URL of the server through this proxy. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** Returns the recorded requests and clears them. */
  take(): readonly WireRequest[];
  close(): Promise<void>;
}

/** Starts a proxy in front of a server. `createReader` creates a reader for each connection. */
export async function startCountingProxy(
  serverUrl: string,
  createReader: () => WireReader,
): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const requests: WireRequest[] = [];
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port), noDelay: true });
    client.setNoDelay(true);
    const read = createReader();
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let unit = read(rest); unit !== null; unit = read(rest)) {
        rest = rest.subarray(unit.length);
        if (unit.request !== undefined) requests.push(unit.request);
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
    requests,
    take: () => requests.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
