import type { DocumentedRoute } from '../../http/routing/route';
import { nothing } from '../../http/routing/operation';
import { ingressRoute } from '../triggers/ingress-route';
import { webhookRoute } from './webhook-route';

/**
 * How senders ask whether an address accepts deliveries before they register it: HEAD, and the OPTIONS of CloudEvents.
 * Forwarded like the deliveries.
 */
export const handshakeRoutes: readonly DocumentedRoute[] = [webhookRoute.path, ingressRoute.path].flatMap(
  (path) => [
    {
      method: 'HEAD',
      path,
      access: 'public',
      operation: {
        summary: 'Ask whether the address accepts deliveries',
        answers: { 200: nothing('It does; the answer is the same for every address') },
        errors: ['ingest_unavailable'],
      },
    },
    {
      method: 'OPTIONS',
      path,
      access: 'public',
      operation: {
        summary: 'Ask for the consent to deliveries, as senders of CloudEvents do',
        headers: {
          'webhook-request-origin': 'The host name of the sender.',
          'webhook-request-rate': 'How many deliveries a minute the sender asks for.',
        },
        answers: {
          200: nothing('`WebHook-Allowed-Origin` is the host name, `WebHook-Allowed-Rate` the accepted rate'),
        },
        errors: ['method_not_allowed', 'invalid_value', 'ingest_unavailable'],
      },
    },
  ],
);
