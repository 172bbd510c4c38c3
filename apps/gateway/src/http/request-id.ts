import type { ServerResponse } from 'node:http';

/** Returns the id that was assigned to the request. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id') ?? '');
}
