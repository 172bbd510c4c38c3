import { startedRunSchema, webhookChallengeSchema } from '@millrace/contracts';
import type { DocumentedRoute } from '../http/route';
import { json } from '../openapi/operation';

/** The one route that is served elsewhere: its requests go through unread, so it has no body or key of its own here. */
export const webhookRoute: DocumentedRoute = {
  method: 'POST',
  path: '/api/v1/webhook/:flow',
  access: 'public',
  operation: {
    summary: 'Hand a webhook to a flow; the answer comes when it is on disk',
    headers: {
      'x-api-key':
        'Needed unless the flow or the installation lets webhooks in without one; `?x-api-key=` works, too.',
      'idempotency-key': 'A delivery of the same name is the same run, as with `webhook-id` and its likes.',
    },
    body: { 'application/json': {}, '*/*': {} },
    answers: {
      200: json("The challenge of Slack's `url_verification`; nothing runs", webhookChallengeSchema),
      202: json('It is on disk and will run', startedRunSchema),
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
