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
 * credentials when they leave the origin. Rejects with OutgoingRefusedError. The caller caps what it reads, and reads or
 * cancels every body: an unread one holds its connection.
 */
export function createOutgoingFetch({ allow, resolve }: OutgoingFetchOptions): OutgoingFetch {
  const allowed = allow.map(parseAddressRange);
  const agent = new Agent({
    connect: { lookup: guardedLookup(allowed, resolve), timeout: 10_000 },
    // One broken HTTP/2 connection would end all calls to its host at once, and an answer has no reason phrase there.
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
          url: shown(url),
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
    throw new TypeError('An address that holds credentials cannot be called');
}

/** See `redirected`; what leads nowhere leaves no body unread. */
function nextRequest(request: PlainRequest, answer: Dispatcher.ResponseData): PlainRequest | undefined {
  try {
    return redirected(request, answer);
  } catch (error) {
    discard(answer.body);
    throw error;
  }
}

function shown({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length);
}

/** Fails as `fetch` does: with the signal's reason, with the refusal of an address, or with what went wrong as the cause. */
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

/** The client looks at the signal when it has a connection; a lookup or a dial that takes long is left behind. */
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
