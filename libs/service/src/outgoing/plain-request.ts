import type { Dispatcher } from 'undici';

type GivenBody = NonNullable<RequestInit['body']>;
type Body = NonNullable<Dispatcher.RequestOptions['body']>;

/** A request in the form for the HTTP client. */
export interface PlainRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | null;
  readonly redirect: NonNullable<RequestInit['redirect']>;
  readonly signal: AbortSignal | null;
}

const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, br', 'user-agent': 'millrace' };

/** Normalizes the arguments of `fetch` by the rules of the Fetch standard. */
export async function plainRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<PlainRequest> {
  // Only these classes can serialize themselves.
  if (input instanceof Request || init.body instanceof FormData || init.body instanceof Blob) {
    const request = new Request(input, init);
    const { method, headers, redirect } = request;
    const body = request.body === null ? null : await request.arrayBuffer();
    // The given signal: the request's own is collected together with the request, which is not kept.
    const signal = init.signal ?? (input instanceof Request ? input.signal : null);
    return assemble(request.url, { method, headers, redirect, signal, ...(body !== null && { body }) });
  }
  return assemble(input, init);
}

function assemble(
  address: string | URL,
  { method: given = 'GET', headers, body, redirect = 'follow', signal }: RequestInit,
): PlainRequest {
  const url = new URL(address);
  const method = given.toUpperCase();
  const hasBody = body !== null && body !== undefined;
  if (hasBody && (method === 'GET' || method === 'HEAD')) throw new TypeError(`${method} cannot have a body`);
  return {
    url,
    method,
    headers: {
      ...DEFAULT_HEADERS,
      ...(hasBody && contentTypeOf(body)),
      ...Object.fromEntries(new Headers(headers)),
    },
    body: hasBody ? bytesOf(body) : null,
    redirect,
    signal: signal ?? null,
  };
}

function contentTypeOf(body: GivenBody): Readonly<Record<string, string>> {
  if (typeof body === 'string') return { 'content-type': 'text/plain;charset=UTF-8' };
  if (body instanceof URLSearchParams)
    return { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  return {};
}

function bytesOf(body: GivenBody): Body {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // A stream: sent as it arrives.
  return body as unknown as Body;
}
