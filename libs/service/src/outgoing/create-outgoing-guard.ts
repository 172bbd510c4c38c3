import { parseAddressRange } from './address-range';
import { checkLiteralAddress } from './check-literal-address';
import type { OutgoingFetchOptions } from './create-outgoing-fetch';
import { guardedLookup } from './guarded-lookup';
import { OutgoingRefusedError } from './outgoing-refused-error';

/** What a client that opens its own sockets needs to reach allowed addresses only. */
export interface OutgoingGuard {
  /** Throws OutgoingRefusedError for a literal address that is not allowed, which no lookup sees. */
  check(hostname: string): void;
  /** The name lookup of the sockets. */
  readonly lookup: ReturnType<typeof guardedLookup>;
}

/** Returns the rules of `createOutgoingFetch` for clients that open their own sockets. */
export function createOutgoingGuard({ allow, resolve }: OutgoingFetchOptions): OutgoingGuard {
  const allowed = allow.map(parseAddressRange);
  return {
    check(hostname) {
      // A socket without a host connects to this machine.
      if (checkLiteralAddress(hostname, allowed) === '')
        throw new OutgoingRefusedError('An address without a host is not allowed');
    },
    lookup: guardedLookup(allowed, resolve),
  };
}
