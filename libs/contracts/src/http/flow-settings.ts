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

interface WebhookSettings {
  readonly signature?: WebhookSignature;
  /** A header that names the delivery: deliveries of the same name are one run. */
  readonly deliveryIdHeader?: string;
}

/** When a background run that failed is tried again. */
export interface RetryRule {
  /** How many attempts may fail, the first one included. */
  readonly attempts: number;
  /** The pause after the first failure, in seconds; each one after it is twice as long. 5 unless given. */
  readonly backoffSeconds?: number;
  /** The longest pause, in seconds; 300 unless given. */
  readonly maximumBackoffSeconds?: number;
  /** Codes of the failures; `component_failed` and `internal` unless given. */
  readonly on?: readonly ('component_failed' | 'deadline_exceeded' | 'internal')[];
}

/** What an operator sets on a flow. */
export interface FlowSettings {
  /** The executors that run it; "default" unless set. */
  readonly pool?: string;
  /** Waiting callers' runs, too, are written down before they start. */
  readonly durable?: boolean;
  readonly webhookAuth?: 'required' | 'off';
  readonly webhook?: WebhookSettings;
  /**
   * What becomes of a durable run whose executor died while it did something outside: it is done again, which is the
   * default, or the run fails.
   */
  readonly unfinishedEffects?: 'retry' | 'fail';
  readonly retry?: RetryRule;
  /** What becomes of vertices whose code their author edited; the installation decides unless set. */
  readonly editedCode?: 'refuse' | 'stock';
  /** How many of its background runs may go on at a time in all. */
  readonly concurrency?: number;
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
    unfinishedEffects: { enum: ['retry', 'fail'] },
    editedCode: { enum: ['refuse', 'stock'] },
    concurrency: { type: 'integer', minimum: 1, maximum: 10_000 },
    retry: {
      type: 'object',
      additionalProperties: false,
      required: ['attempts'],
      properties: {
        attempts: { type: 'integer', minimum: 2, maximum: 20 },
        backoffSeconds: { type: 'integer', minimum: 1, maximum: 3_600 },
        maximumBackoffSeconds: { type: 'integer', minimum: 1, maximum: 86_400 },
        on: {
          type: 'array',
          minItems: 1,
          maxItems: 3,
          items: { enum: ['component_failed', 'deadline_exceeded', 'internal'] },
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
