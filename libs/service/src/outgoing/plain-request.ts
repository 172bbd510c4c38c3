import type { RequestInit as UndiciRequestInit } from 'undici';
import type { Redirection } from './redirect';

/**
 * A request as address and options. Request and FormData are classes of the global fetch that the package's own does
 * not know, so they are taken apart here.
 */
export async function plainRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Redirection> {
  // The same options by the same standard; only the type declarations of the two differ.
  if (!(input instanceof Request) && !(init.body instanceof FormData))
    return { url: new URL(input), options: init as unknown as UndiciRequestInit };
  const request = new Request(input, init);
  const body = request.body === null ? undefined : await request.arrayBuffer();
  return {
    url: new URL(request.url),
    options: {
      method: request.method,
      headers: [...request.headers],
      redirect: request.redirect,
      signal: request.signal,
      ...(body === undefined ? {} : { body }),
    },
  };
}
