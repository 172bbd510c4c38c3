import type { DocumentedRoute } from '../../http/routing/route';
import { nothing } from '../../http/routing/operation';

/** The address of inbound webhooks, which is served by ingest. Its requests are forwarded unread. */
export const ingressRoute: DocumentedRoute = {
  method: 'POST',
  path: '/api/v1/triggers/ingress/:provider/:public_id',
  access: 'public',
  operation: {
    summary:
      'Send a signed delivery to an inbound webhook; it is answered once the event and its run are stored',
    headers: {
      'x-langflow-timestamp': 'Seconds since the epoch, within 300 seconds of the time of the server.',
      'x-langflow-signature': '`v1=` and the HMAC-SHA256 of `v1:<timestamp>:<body>` in hexadecimal.',
    },
    body: { 'application/json': { type: 'object' } },
    bodyOptional: true,
    answers: { 202: nothing('The event and its run are stored') },
    errors: [
      'trigger_unknown',
      'invalid_request',
      'rate_limited',
      'too_many_waiting',
      'encoding_refused',
      'body_too_large',
      'ingest_unavailable',
      'database_unavailable',
      'encryption_failed',
    ],
  },
};
