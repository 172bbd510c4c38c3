import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isAddressAllowed } from './address-range';
import type { AddressRange } from './address-range';
import { OutgoingRefusedError } from './outgoing-refused-error';

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

export type Resolve = (
  hostname: string,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a socket's name lookup that refuses a name unless all its addresses are allowed. The socket connects to the
 * checked address, so a name that resolves differently the next time gains nothing.
 */
export function guardedLookup(allowed: readonly AddressRange[], resolve: Resolve = resolveAll) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const refused = addresses.find(({ address }) => !isAddressAllowed(address, allowed));
      if (refused !== undefined)
        return callback(
          new OutgoingRefusedError(`${hostname} (${refused.address}) is not a public address`),
          '',
        );
      const usable = ofFamily(addresses, options.family);
      const [first] = usable;
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '');
      if (options.all === true) return callback(null, usable);
      callback(null, first.address, first.family);
    });
  };
}

function resolveAll(
  hostname: string,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
): void {
  lookup(hostname, { all: true }, callback);
}

function ofFamily(addresses: LookupAddress[], family: LookupOptions['family']): LookupAddress[] {
  const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
  return wanted === 4 || wanted === 6 ? addresses.filter((address) => address.family === wanted) : addresses;
}
