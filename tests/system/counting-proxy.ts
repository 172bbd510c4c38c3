import { TcpProxy } from '@millrace/testing';
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
  const requests: WireRequest[] = [];
  const observe = () => {
    const read = createReader();
    let rest: Buffer = Buffer.alloc(0);
    return (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let unit = read(rest); unit !== null; unit = read(rest)) {
        rest = rest.subarray(unit.length);
        if (unit.request !== undefined) requests.push(unit.request);
      }
    };
  };
  const url = new URL(serverUrl);
  const proxy = await TcpProxy.listen({ host: url.hostname, port: Number(url.port) }, { observe });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return {
    url: url.href,
    requests,
    take: () => requests.splice(0),
    close: () => proxy.close(),
  };
}
