import type { IncomingMessage, ServerResponse } from 'node:http';
import { readRequestId } from '@millrace/service';

/** The id that the gateway gave the request: in this process, or in the header with which it passed the request on. */
export function requestIdOf(request: IncomingMessage, response: ServerResponse): string | null {
  const given = response.getHeader('x-request-id') ?? request.headers['x-request-id'];
  return readRequestId(typeof given === 'string' ? given : undefined);
}
