import { isIP } from 'node:net';
import { isAddressAllowed } from './address-range';
import type { AddressRange } from './address-range';
import { OutgoingRefusedError } from './outgoing-refused-error';

/**
 * Returns the host in the form for sockets, without a URL's brackets. Throws OutgoingRefusedError for an address that
 * is not allowed: a literal address never passes through a socket's lookup.
 */
export function checkLiteralAddress(hostname: string, allowed: readonly AddressRange[]): string {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAddressAllowed(host, allowed))
    throw new OutgoingRefusedError(`${host} is not a public address`);
  return host;
}
