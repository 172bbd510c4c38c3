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
  /** Maximum time to connect, including the name lookup; ten seconds unless given. */
  readonly connectMilliseconds?: number;
}

/** Opens a TCP connection for a user's flow. The signal closes it, also once it is open. */
export type OutgoingDial = (
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
) => Promise<Socket>;

/**
 * Opens connections under the rules of `createOutgoingFetch`: only to public unicast addresses and the allowed ranges,
 * and to the checked address. Rejects with OutgoingRefusedError, TimeoutError, the signal's reason or the system's
 * error.
 */
export function createOutgoingDial(options: OutgoingDialOptions): OutgoingDial {
  const { resolve, connectMilliseconds = 10_000 } = options;
  const allowed = options.allow.map(parseAddressRange);
  const lookup = guardedLookup(allowed, resolve);

  return async (target, signal) => {
    signal.throwIfAborted();
    const { port } = target;
    const host = checkLiteralAddress(target.host, allowed);
    // A socket without a host connects to this machine.
    if (host === '') throw new OutgoingRefusedError('An address without a host is not allowed');
    const socket = connect({ host, port, lookup, noDelay: true });
    // An error of a connection without further listeners must not crash the process.
    socket.on('error', () => undefined);
    closeOnAbort(signal, socket);
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

/** Unlike the socket's option `signal`, removes its listener from the signal when the socket closes. */
function closeOnAbort(signal: AbortSignal, socket: Socket): void {
  const end = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
}
