/** How the senders of a flow's webhooks sign them. A flow with a signature needs no API key. */
export interface WebhookSignature {
  readonly scheme: 'standard-webhooks' | 'github' | 'stripe' | 'slack' | 'hmac';
  /** Names of variables of the flow's owner that hold the secrets; several while a secret is being changed. */
  readonly secrets: readonly string[];
  /** Scheme `hmac` only: the header with the signature; `x-signature` unless given. */
  readonly header?: string;
  /** Scheme `hmac` only: how the signature is written; `hex` unless given. */
  readonly encoding?: 'hex' | 'base64';
  /** How far a signed timestamp may be from now, in seconds; 300 unless given. */
  readonly toleranceSeconds?: number;
}

export interface WebhookSettings {
  readonly signature?: WebhookSignature;
  /** A header that names the delivery: deliveries of the same name are one run. */
  readonly deliveryIdHeader?: string;
}

/** What an operator sets on a flow. */
export interface FlowSettings {
  /** The executors that run it; "default" unless set. */
  readonly pool?: string;
  /** Waiting callers' runs, too, are written down before they start. */
  readonly durable?: boolean;
  readonly webhookAuth?: 'required' | 'off';
  readonly webhook?: WebhookSettings;
  readonly cache?: { readonly ttlSeconds: number };
}

const headerName = { type: 'string', pattern: '^[A-Za-z0-9-]{1,100}$' };

/** Member `settings` of a flow. */
export const flowSettingsSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    pool: { type: 'string', format: 'pool-name' },
    durable: { type: 'boolean' },
    webhookAuth: { enum: ['required', 'off'] },
    webhook: {
      type: 'object',
      additionalProperties: false,
      properties: {
        deliveryIdHeader: headerName,
        signature: {
          type: 'object',
          additionalProperties: false,
          required: ['scheme', 'secrets'],
          properties: {
            scheme: { enum: ['standard-webhooks', 'github', 'stripe', 'slack', 'hmac'] },
            secrets: {
              type: 'array',
              minItems: 1,
              maxItems: 10,
              items: { type: 'string', minLength: 1, maxLength: 500 },
            },
            header: headerName,
            encoding: { enum: ['hex', 'base64'] },
            toleranceSeconds: { type: 'integer', minimum: 1, maximum: 3_600 },
          },
        },
      },
    },
    cache: {
      type: 'object',
      additionalProperties: false,
      required: ['ttlSeconds'],
      properties: { ttlSeconds: { type: 'integer', minimum: 1, maximum: 86_400 } },
    },
  },
};
