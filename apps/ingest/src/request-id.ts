import type { IncomingMessage, ServerResponse } from 'node:http';
import { readRequestId } from '@millrace/http';

/**
 * Returns the request id that the gateway set: on the response in this process, or in the header of the proxied
 * request.
 */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | null {
  const given = response.getHeader('x-request-id') ?? request.headers['x-request-id'];
  return readRequestId(typeof given === 'string' ? given : undefined);
}
