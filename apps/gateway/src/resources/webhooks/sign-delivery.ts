import { createHmac } from 'node:crypto';
import type { WebhookSignature } from '@millrace/flow';
import { uuidv7 } from '@millrace/service';

const SECRET_PREFIX = 'whsec_';

/** Returns the headers with which a sender of this scheme signs a body. `now` is in milliseconds since the epoch. */
export function signDelivery(
  { scheme, header = 'x-signature', encoding = 'hex' }: WebhookSignature,
  secret: string,
  body: string,
  now: number,
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(now / 1_000));
  const digest = (prefix: string, key: string | Buffer = secret) =>
    createHmac('sha256', key).update(prefix).update(body);
  switch (scheme) {
    case 'github':
      return { 'x-hub-signature-256': `sha256=${digest('').digest('hex')}` };
    case 'slack':
      return {
        'x-slack-request-timestamp': seconds,
        'x-slack-signature': `v0=${digest(`v0:${seconds}:`).digest('hex')}`,
      };
    case 'stripe':
      return { 'stripe-signature': `t=${seconds},v1=${digest(`${seconds}.`).digest('hex')}` };
    case 'standard-webhooks': {
      const id = `msg_test_${uuidv7()}`;
      const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
      const signature = digest(`${id}.${seconds}.`, Buffer.from(encoded, 'base64')).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
    }
    case 'hmac':
      return { [header.toLowerCase()]: digest('').digest(encoding) };
  }
}
