import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
}

/** Resolves to the port once the server accepts connections. Rejects when the address is not available. */
export function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) =>
    server.once('error', reject).listen(port, host, () => resolve((server.address() as AddressInfo).port)),
  );
}
