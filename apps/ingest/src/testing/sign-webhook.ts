import { createHmac } from 'node:crypto';
import type { WebhookSignature } from '@millrace/flow';

export interface WebhookToSign {
  readonly scheme: WebhookSignature['scheme'];
  readonly secret: string;
  readonly body: string | Uint8Array;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** Returns the headers that a sender of the scheme sets on its webhook; the first one contains the signature. */
export function signWebhook({ scheme, secret, body, id, timestamp }: WebhookToSign): Record<string, string> {
  const sign = (prefix: string, key: string | Buffer = secret) =>
    createHmac('sha256', key).update(prefix).update(body);
  switch (scheme) {
    case 'standard-webhooks': {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const digest = sign(`${id}.${timestamp}.`, key).digest('base64');
      return {
        'webhook-signature': `v1,${digest}`,
        'webhook-timestamp': String(timestamp),
        'webhook-id': id,
      };
    }
    case 'github':
      return { 'x-hub-signature-256': `sha256=${sign('').digest('hex')}`, 'x-github-delivery': id };
    case 'stripe':
      return { 'stripe-signature': `t=${timestamp},v1=${sign(`${timestamp}.`).digest('hex')}` };
    case 'slack':
      return {
        'x-slack-signature': `v0=${sign(`v0:${timestamp}:`).digest('hex')}`,
        'x-slack-request-timestamp': String(timestamp),
      };
    case 'hmac':
      return { 'x-signature': sign('').digest('hex') };
  }
}
