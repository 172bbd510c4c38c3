import type { IncomingMessage } from 'node:http';

/** The name of the header without which a browser's cookie does not count. Other origins cannot send it. */
export const CONSOLE_HEADER = 'x-millrace-console';

/**
 * Returns the origin at which the caller reaches the gateway: that of MILLRACE_PUBLIC_URL where it is set, else of the
 * request. A proxy that ends TLS says so with `X-Forwarded-Proto`.
 */
export function ownOriginOf(request: IncomingMessage, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  const isEncrypted = 'encrypted' in request.socket || forwardedProtocol(request) === 'https';
  return `${isEncrypted ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;
}

/**
 * Returns whether a page of the gateway's own origin sent the request. SameSite ignores ports, so that a cookie also
 * arrives with requests of pages on other ports of the same host.
 */
export function isFromOwnPage(request: IncomingMessage, publicUrl: string | undefined): boolean {
  const { headers } = request;
  if (headers[CONSOLE_HEADER] !== '1') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  return headers.origin === undefined || headers.origin === ownOriginOf(request, publicUrl);
}

function forwardedProtocol({ headers }: IncomingMessage): string {
  const protocols = String(headers['x-forwarded-proto'] ?? '').split(',');
  return protocols[0]?.trim().toLowerCase() ?? '';
}
