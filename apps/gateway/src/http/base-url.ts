import type { IncomingMessage } from 'node:http';

/** Where a caller has reached this gateway, without a slash at the end, as far as the request tells. */
export function baseUrlOf(request: IncomingMessage): string {
  const host = request.headers.host ?? 'localhost';
  return `${'encrypted' in request.socket ? 'https' : 'http'}://${host}`;
}
