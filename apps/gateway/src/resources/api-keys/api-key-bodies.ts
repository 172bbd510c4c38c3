import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const keyRotationBodySchema = closedBody('KeyRotation', {
  /** How long the old key stays valid, unless it expires earlier; 0 ends it at once. */
  overlap_seconds: { type: ['integer', 'null'], minimum: 0, maximum: 2_592_000 },
  /** When the new key expires; by default never. */
  expires_at: { 'x-date-time': true },
});

/** Body of `POST /api/v1/api_key/{api_key_id}/rotate`. */
export type KeyRotationBody = ValueOf<typeof keyRotationBodySchema>;

const ids = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 100,
  items: { type: 'string', format: 'uuid' },
} as const;
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
} as const;

export const keyChangesBodySchema = closedBody('KeyChanges', {
  name: { type: ['string', 'null'], maxLength: 500 },
  is_active: { type: 'boolean' },
  expires_at: { 'x-date-time': true },
  ...bounds,
});

/** Body of `PATCH /api/v1/api_key/{api_key_id}`. An absent member stays as it is. */
export type KeyChangesBody = ValueOf<typeof keyChangesBodySchema>;

/** The members that bound a key; null and an absent one of a new key bound nothing. */
export type KeyBoundsBody = Pick<KeyChangesBody, keyof typeof bounds>;

export const apiKeyBodySchema = closedBody('NewApiKey', {
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
  /** The scopes of the key; by default those of the caller's key. */
  scopes: {
    type: ['array', 'null'],
    minItems: 1,
    maxItems: 3,
    items: { enum: ['run', 'manage', 'admin'] },
  },
  ...bounds,
});

/** Body of `POST /api/v1/api_key/`. */
export type ApiKeyBody = ValueOf<typeof apiKeyBodySchema>;
