import type { RequestSchema } from '../../http/validation/request-schema';

/** The members that bound a key; null and an absent one of a new key bound nothing. */
export interface KeyBoundsBody {
  readonly access?: 'read_only' | 'run_only' | null;
  readonly flows?: readonly string[] | null;
  readonly projects?: readonly string[] | null;
  readonly addresses?: readonly string[] | null;
  readonly end_users?: 'header' | 'token' | null;
}

/** Body of `PATCH /api/v1/api_key/{api_key_id}`. An absent member stays as it is. */
export interface KeyChangesBody extends KeyBoundsBody {
  readonly name?: string | null;
  readonly is_active?: boolean;
  readonly expires_at?: string | number | null;
}

/** Body of `POST /api/v1/api_key/`. */
export interface ApiKeyBody extends KeyBoundsBody {
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

const ids = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', format: 'uuid' },
};
const bounds = {
  access: { type: ['string', 'null'], enum: ['read_only', 'run_only', null] },
  flows: ids,
  projects: ids,
  addresses: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: 50,
    items: { type: 'string', maxLength: 50 },
  },
  end_users: { type: ['string', 'null'], enum: ['header', 'token', null] },
};

export const keyChangesBodySchema: RequestSchema = {
  title: 'KeyChanges',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    name: { type: ['string', 'null'], maxLength: 500 },
    is_active: { type: 'boolean' },
    expires_at: { 'x-date-time': true },
    ...bounds,
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
    // Langflow takes every empty value for one that is left out.
    created_at: {},
    scopes: {
      type: ['array', 'null'],
      minItems: 1,
      maxItems: 3,
      items: { enum: ['run', 'manage', 'admin'] },
    },
    ...bounds,
  },
};
