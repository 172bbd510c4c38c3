import type { ServerResponse } from 'node:http';

/** The id that the request got when it arrived. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id') ?? '');
}
