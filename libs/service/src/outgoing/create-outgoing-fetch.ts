import { Agent, fetch as undiciFetch } from 'undici';
import type { RequestInit as UndiciRequestInit, Response as UndiciResponse } from 'undici';
import { parseAddressRange } from './address-range';
import type { AddressRange } from './address-range';
import { checkLiteralAddress } from './check-literal-address';
import { guardedLookup } from './guarded-lookup';
import type { Resolve } from './guarded-lookup';
import { OutgoingRefusedError } from './outgoing-refused-error';
import { redirected } from './redirect';
import { plainRequest } from './plain-request';

const MAXIMUM_REDIRECTS = 3;

export interface OutgoingFetchOptions {
  /** Address ranges (CIDR) that may be called although they are not public. */
  readonly allow: readonly string[];
  /** How names become addresses; the system's way unless given. */
  readonly resolve?: Resolve;
}

/** `fetch` for calls that users' flows make. `close` ends the connections it keeps. */
export type OutgoingFetch = typeof fetch & { readonly close: () => Promise<void> };

/**
 * A `fetch` that reaches only public unicast addresses and the allowed ranges, over http and https. Names are
 * resolved once and the checked address is dialled; redirects, at most three, are checked the same way and lose their
 * credentials when they leave the origin. Rejects with OutgoingRefusedError. The caller caps what it reads.
 */
export function createOutgoingFetch({ allow, resolve }: OutgoingFetchOptions): OutgoingFetch {
  const allowed = allow.map(parseAddressRange);
  const agent = new Agent({
    connect: { lookup: guardedLookup(allowed, resolve), timeout: 10_000 },
    headersTimeout: 600_000,
    bodyTimeout: 300_000,
  });

  const outgoingFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = await plainRequest(input, init);
    let { url, options } = request;
    for (let redirects = 0; ; redirects += 1) {
      checkTarget(url, allowed);
      const response = await dial(url, { ...options, dispatcher: agent, redirect: 'manual' });
      const next = options.redirect === 'manual' ? undefined : redirected(url, options, response);
      // undici's Response is the one behind the global of that name; only the type declarations differ.
      if (next === undefined) return response as unknown as Response;
      await response.body?.cancel();
      if (options.redirect === 'error') throw new TypeError(`${url.origin} answered with a redirect`);
      if (redirects === MAXIMUM_REDIRECTS) throw new TypeError(`More than ${MAXIMUM_REDIRECTS} redirects`);
      ({ url, options } = next);
    }
  };
  return Object.assign(outgoingFetch, { close: () => agent.destroy() });
}

function checkTarget(url: URL, allowed: readonly AddressRange[]): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingRefusedError(`${url.protocol}// is not allowed, only http:// and https:// are`);
  checkLiteralAddress(url.hostname, allowed);
}

/** fetch wraps a refusal of the lookup in "fetch failed"; the caller should see the refusal itself. */
async function dial(url: URL, options: UndiciRequestInit): Promise<UndiciResponse> {
  try {
    return await undiciFetch(url, options);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    throw cause instanceof OutgoingRefusedError ? cause : error;
  }
}
