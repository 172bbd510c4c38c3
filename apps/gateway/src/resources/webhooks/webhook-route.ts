import { startedRunSchema } from '../../run-answers/started-run-schema';
import type { DocumentedRoute } from '../../http/routing/route';
import { json, queryParameter } from '../../http/routing/operation';

/**
 * The one route that is served elsewhere. Its requests are forwarded unread, so the gateway checks no body and no key.
 */
export const webhookRoute: DocumentedRoute = {
  method: 'POST',
  path: '/api/v1/webhook/:flow',
  isDirect: true,
  access: 'public',
  operation: {
    summary: 'Send a webhook to a flow; it is answered once the run is stored',
    headers: {
      'x-api-key':
        'Required unless the flow or the server accepts webhooks without a key; `?x-api-key=` is also accepted.',
      'idempotency-key':
        'Deliveries with the same key start one run, as with `webhook-id` and similar headers.',
    },
    query: {
      wait: queryParameter(
        'integer',
        'How long to wait for the answer of the flow, in seconds, where the flow allows it',
        { minimum: 0 },
      ),
    },
    body: { 'application/json': {}, '*/*': {} },
    answers: {
      200: {
        description:
          "The answer of the flow, for a sender who waits, with another status where the flow chooses one; or, without a run, the challenge of Slack's `url_verification` or the `validationToken` of Microsoft Graph",
        content: { 'application/json': {}, 'text/plain': { type: 'string' } },
      },
      202: json('The run is stored and will be executed', startedRunSchema),
    },
    errors: [
      'key_missing',
      'key_invalid',
      'permission_denied',
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
      'object_store_unavailable',
      'encryption_failed',
      'component_failed',
    ],
  },
};

/** How senders verify the address of a webhook before they send events there. Forwarded like the events. */
export const webhookVerificationRoute: DocumentedRoute = {
  method: 'GET',
  path: webhookRoute.path,
  access: 'public',
  operation: {
    summary: 'Verify the address of a webhook, where the flow has the setting `webhook.challenge`',
    query: {
      'hub.mode': queryParameter('string', 'Meta: `subscribe`'),
      'hub.challenge': queryParameter('string', 'Meta: the text to answer with'),
      'hub.verify_token': queryParameter('string', 'Meta: the verify token of the flow'),
      validationToken: queryParameter('string', 'Microsoft Graph: the text to answer with'),
      crc_token: queryParameter('string', 'X: the text to answer with the signature of'),
    },
    answers: {
      200: {
        description: 'The text, or its signature for X; no run starts',
        content: {
          'text/plain': { type: 'string' },
          'application/json': {
            type: 'object',
            required: ['response_token'],
            properties: { response_token: { type: 'string' } },
          },
        },
      },
    },
    errors: [
      'method_not_allowed',
      'challenge_refused',
      'key_missing',
      'key_invalid',
      'permission_denied',
      'rate_limited',
      'invalid_value',
      'ingest_unavailable',
      'database_unavailable',
      'encryption_failed',
    ],
  },
};
