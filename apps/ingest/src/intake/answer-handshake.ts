import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '@millrace/http';

/** The form of a DNS expression, which names a sender of CloudEvents. */
const ORIGIN = /^[\w.:*-]{1,255}$/;

/**
 * Answers requests by which senders ask whether an address accepts deliveries before they register it: HEAD, and OPTIONS
 * with the headers of CloudEvents. The answer is the same for every address, so that it does not show which ones exist.
 * Returns false for other requests. Throws invalid_value for an origin that is no host name.
 */
export function answerHandshake(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { perMinute }: { readonly perMinute: number | '*' },
): boolean {
  if (method === 'HEAD') {
    response.writeHead(200, { allow: 'POST', 'content-length': 0 }).end();
    return true;
  }
  const origin = headers['webhook-request-origin'];
  if (method !== 'OPTIONS' || typeof origin !== 'string') return false;
  if (!ORIGIN.test(origin))
    throw new HttpError('invalid_value', 'WebHook-Request-Origin must be a host name.');
  response
    .writeHead(200, {
      allow: 'POST',
      'webhook-allowed-origin': origin,
      ...(headers['webhook-request-rate'] !== undefined && { 'webhook-allowed-rate': String(perMinute) }),
      'content-length': 0,
    })
    .end();
  return true;
}
