import { startedRunSchema, webhookChallengeSchema } from '@millrace/contracts';
import type { DocumentedRoute } from '../../http/route';
import { json } from '../../openapi/operation';

/**
 * The one route that is served elsewhere. Its requests are forwarded unread, so the gateway checks no body and no key.
 */
export const webhookRoute: DocumentedRoute = {
  method: 'POST',
  path: '/api/v1/webhook/:flow',
  access: 'public',
  operation: {
    summary: 'Send a webhook to a flow; it is answered once the run is stored',
    headers: {
      'x-api-key':
        'Required unless the flow or the server accepts webhooks without a key; `?x-api-key=` is also accepted.',
      'idempotency-key':
        'Deliveries with the same key start one run, as with `webhook-id` and similar headers.',
    },
    body: { 'application/json': {}, '*/*': {} },
    answers: {
      200: json("The challenge of Slack's `url_verification`; no run is started", webhookChallengeSchema),
      202: json('The run is stored and will be executed', startedRunSchema),
    },
    errors: [
      'key_missing',
      'key_invalid',
      'signature_invalid',
      'rate_limited',
      'too_many_waiting',
      'flow_unknown',
      'undecodable_body',
      'encoding_refused',
      'invalid_value',
      'body_too_large',
      'ingest_unavailable',
      'database_unavailable',
    ],
  },
};
