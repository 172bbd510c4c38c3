import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { parseAddressRange } from './address-range';
import type { AddressRange } from './address-range';
import { checkLiteralAddress } from './check-literal-address';
import { guardedLookup } from './guarded-lookup';
import type { Resolve } from './guarded-lookup';
import { OutgoingRefusedError } from './outgoing-refused-error';
import { discard, OutgoingResponse } from './outgoing-response';
import { plainRequest } from './plain-request';
import type { PlainRequest } from './plain-request';
import { redirected } from './redirect';

const MAXIMUM_REDIRECTS = 3;

export interface OutgoingFetchOptions {
  /** Address ranges (CIDR) that can be called although they are not public. */
  readonly allow: readonly string[];
  /** Resolves names to addresses; the system's resolver unless given. */
  readonly resolve?: Resolve;
}

/** `fetch` for calls that users' flows make. `close` closes its open connections. */
export type OutgoingFetch = typeof fetch & { readonly close: () => Promise<void> };

/**
 * Creates a `fetch` that reaches only public unicast addresses and the allowed ranges, over http and https. Each name
 * is resolved once and the checked address is used; redirects, at most three, are checked the same way and lose their
 * credentials when they leave the origin. Rejects with OutgoingRefusedError. The caller limits what it reads, and must
 * read or cancel every body: an unread body occupies its connection.
 */
export function createOutgoingFetch({ allow, resolve }: OutgoingFetchOptions): OutgoingFetch {
  const allowed = allow.map(parseAddressRange);
  const agent = new Agent({
    connect: { lookup: guardedLookup(allowed, resolve), timeout: 10_000 },
    // One broken HTTP/2 connection would fail all calls to its host at once, and HTTP/2 has no reason phrases.
    allowH2: false,
    headersTimeout: 600_000,
    bodyTimeout: 300_000,
  });

  const outgoingFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    let request = await plainRequest(input, init);
    for (let redirects = 0; ; redirects += 1) {
      const { url, method, redirect } = request;
      checkTarget(url, allowed);
      const answer = await dial(agent, request);
      const next = redirect === 'manual' ? undefined : nextRequest(request, answer);
      if (next === undefined) {
        const response = new OutgoingResponse({
          url: withoutFragment(url),
          isRedirected: redirects > 0,
          answer,
          method,
        });
        return response as unknown as Response;
      }
      discard(answer.body);
      if (redirect === 'error') throw new TypeError(`${url.origin} answered with a redirect`);
      if (redirects === MAXIMUM_REDIRECTS) throw new TypeError(`More than ${MAXIMUM_REDIRECTS} redirects`);
      request = next;
    }
  };
  return Object.assign(outgoingFetch, { close: () => agent.destroy() });
}

function checkTarget(url: URL, allowed: readonly AddressRange[]): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingRefusedError(`${url.protocol}// is not allowed, only http:// and https:// are`);
  checkLiteralAddress(url.hostname, allowed);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('An address that contains credentials cannot be called');
}

/** See `redirected`; discards the body of an invalid redirect. */
function nextRequest(request: PlainRequest, answer: Dispatcher.ResponseData): PlainRequest | undefined {
  try {
    return redirected(request, answer);
  } catch (error) {
    discard(answer.body);
    throw error;
  }
}

function withoutFragment({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length);
}

/** Rejects as `fetch` does: with the signal's reason, the refusal of an address, or a TypeError with the cause. */
async function dial(
  agent: Agent,
  { url, method, headers, body, signal }: PlainRequest,
): Promise<Dispatcher.ResponseData> {
  signal?.throwIfAborted();
  const { origin, pathname, search } = url;
  const answer = agent.request({
    origin,
    path: pathname + search,
    method: method as Dispatcher.HttpMethod,
    headers,
    body,
    signal,
  });
  try {
    return await (signal === null ? answer : unlessAborted(answer, signal));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof OutgoingRefusedError) throw error;
    throw new TypeError('fetch failed', { cause: error });
  }
}

/** Rejects at once on abort: the client checks the signal only once connected; a slow lookup or dial is abandoned. */
function unlessAborted(
  answer: Promise<Dispatcher.ResponseData>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error);
      answer.then(({ body }) => void body.destroy()).catch(() => undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
