import type { IncomingMessage } from 'node:http';

/** Returns the base URL of a request, without a trailing slash. */
export function baseUrlOf(request: IncomingMessage): string {
  const host = request.headers.host ?? 'localhost';
  return `${'encrypted' in request.socket ? 'https' : 'http'}://${host}`;
}
