import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, nameTrace, readRequestId } from '@millrace/http';

const ALLOWED_METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/**
 * Sets the headers that every answer has, including the request id (the caller's own when it is valid), the trace
 * if it is recorded, and the CORS headers. Any origin is allowed, without credentials. Answers CORS preflight requests; returns false for these.
 */
export function applyCommonHeaders(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('x-request-id', readRequestId(request.headers['x-request-id']) ?? randomUUID());
  nameTrace(response);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', '*');
    response.setHeader('vary', 'Origin');
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      response.setHeader('access-control-allow-methods', ALLOWED_METHODS);
      response.setHeader(
        'access-control-allow-headers',
        request.headers['access-control-request-headers'] ?? '*',
      );
      response.setHeader('access-control-max-age', '600');
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('OK');
      return false;
    }
  }
  // No valid path or parameter contains NUL, and the database would reject it.
  if (request.url?.includes('%00')) throw new HttpError('undecodable_url', 'The URL cannot be decoded.');
  return true;
}

/** Returns the id that was assigned to the request. */
export function requestIdOf(response: ServerResponse): string {
  return String(response.getHeader('x-request-id') ?? '');
}
