import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { withDeadline } from '../time/with-deadline';
import { parseAddressRange } from './address-range';
import { checkLiteralAddress } from './check-literal-address';
import type { OutgoingFetchOptions } from './create-outgoing-fetch';
import { guardedLookup } from './guarded-lookup';
import { OutgoingRefusedError } from './outgoing-refused-error';

export interface OutgoingDialOptions extends OutgoingFetchOptions {
  /** How long connecting may take, the name's lookup included; ten seconds unless given. */
  readonly connectMilliseconds?: number;
}

/** Opens a TCP connection for a user's flow. The signal ends it, also once it is open. */
export type OutgoingDial = (
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
) => Promise<Socket>;

/**
 * Connections under the rules of `createOutgoingFetch`: public unicast addresses and the allowed ranges, the checked
 * address is dialled. Rejects with OutgoingRefusedError, TimeoutError, the signal's reason or what the system says.
 */
export function createOutgoingDial(options: OutgoingDialOptions): OutgoingDial {
  const { resolve, connectMilliseconds = 10_000 } = options;
  const allowed = options.allow.map(parseAddressRange);
  const lookup = guardedLookup(allowed, resolve);

  return async (target, signal) => {
    signal.throwIfAborted();
    const { port } = target;
    const host = checkLiteralAddress(target.host, allowed);
    // A socket without a host dials this machine.
    if (host === '') throw new OutgoingRefusedError('An address without a host is not allowed');
    const socket = connect({ host, port, lookup, noDelay: true });
    // What breaks a connection that nobody listens to any more must not end the process.
    socket.on('error', () => undefined);
    endWith(signal, socket);
    try {
      const late = `${host}:${port} did not accept a connection within ${connectMilliseconds} ms`;
      await withDeadline(once(socket, 'connect'), connectMilliseconds, late);
      return socket;
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      throw error;
    }
  };
}

/** Not the socket's own option of that name, which stays on the signal when the socket is long gone. */
function endWith(signal: AbortSignal, socket: Socket): void {
  const end = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
}
