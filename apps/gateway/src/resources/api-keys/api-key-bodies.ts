import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/api_key/`. */
export interface ApiKeyBody {
  readonly name?: string | null;
  readonly expires_at?: string | number | null;
  /** The scopes of the key; by default those of the caller's key. */
  readonly scopes?: readonly ('run' | 'manage' | 'admin')[] | null;
}

/** Body of `POST /api/v1/api_key/{api_key_id}/rotate`. */
export interface KeyRotationBody {
  /** How long the old key stays valid, unless it expires earlier; 0 ends it at once. */
  readonly overlap_seconds?: number | null;
  /** When the new key expires; by default never. */
  readonly expires_at?: string | number | null;
}

export const keyRotationBodySchema: RequestSchema = {
  title: 'KeyRotation',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    overlap_seconds: { type: ['integer', 'null'], minimum: 0, maximum: 2_592_000 },
    expires_at: { 'x-date-time': true },
  },
};

export const apiKeyBodySchema: RequestSchema = {
  title: 'NewApiKey',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    name: { type: ['string', 'null'], maxLength: 500 },
    // Members of Langflow without an effect, there and here: those between `name` and `scopes` but `expires_at`.
    last_used_at: { 'x-date-time': true },
    total_uses: { type: 'integer' },
    is_active: { type: 'boolean' },
    expires_at: { 'x-date-time': true },
    api_key: { type: ['string', 'null'] },
    user_id: {
      type: ['string', 'null'],
      format: 'uuid',
      'x-error-text': 'badly formed hexadecimal UUID string',
    },
    created_at: { 'x-date-time': true },
    scopes: {
      type: ['array', 'null'],
      minItems: 1,
      maxItems: 3,
      items: { enum: ['run', 'manage', 'admin'] },
    },
  },
};
