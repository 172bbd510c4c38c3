import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';

export interface ClientAddresses {
  /** The address of the connection, which can be that of a proxy. Null once the connection is closed. */
  readonly clientAddress: string | null;
  /** The last address in `X-Forwarded-For`: that of the nearest proxy, or an invention of the client. Not verified. */
  readonly forwardedFor: string | null;
}

/** Returns the addresses that a request came from. */
export function clientAddresses({ socket, headers }: IncomingMessage): ClientAddresses {
  const last =
    String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  return { clientAddress: socket.remoteAddress ?? null, forwardedFor: isIP(last) === 0 ? null : last };
}
