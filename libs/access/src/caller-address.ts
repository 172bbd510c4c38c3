import type { IncomingMessage } from 'node:http';
import type { KeyBounds } from '@millrace/runs';
import { isAddressWithin, parseAddressRange } from '@millrace/service';
import type { AddressRange } from '@millrace/service';

/** Ranges by their texts, which a cached principal keeps. */
const parsed = new WeakMap<readonly string[], readonly AddressRange[]>();

/** Tells whether a request comes from an address that its key allows. */
export class CallerAddresses {
  readonly #proxies: readonly AddressRange[];

  /** `trustedProxies` are address ranges in CIDR notation whose `X-Forwarded-For` is believed. */
  constructor(trustedProxies: readonly string[]) {
    this.#proxies = trustedProxies.map(parseAddressRange);
  }

  /** Whether a key with these bounds can be used by this request. */
  areAllowed({ addresses }: KeyBounds, request: IncomingMessage): boolean {
    if (addresses === undefined) return true;
    let ranges = parsed.get(addresses);
    if (ranges === undefined) parsed.set(addresses, (ranges = addresses.map(parseAddressRange)));
    return isAddressWithin(this.#addressOf(request), ranges);
  }

  /** The nearest address that is of no trusted proxy; empty once the connection is closed. */
  #addressOf({ socket, headers }: IncomingMessage): string {
    let address = socket.remoteAddress ?? '';
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    while (forwarded.length > 0 && isAddressWithin(address, this.#proxies)) {
      const before = forwarded.pop()?.trim() ?? '';
      if (before !== '') address = before;
    }
    return address;
  }
}
