import type { RequestSchema } from './request-schema';

/** Body of `POST /api/v1/api_key/`. */
export interface ApiKeyBody {
  readonly name?: string | null;
  readonly expires_at?: string | number | null;
  /** The scopes of the key; by default those of the caller's key. */
  readonly scopes?: readonly ('run' | 'manage' | 'admin')[] | null;
}

export const apiKeyBodySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  properties: {
    name: { type: ['string', 'null'], maxLength: 500 },
    expires_at: { 'x-date-time': true },
    scopes: {
      type: ['array', 'null'],
      minItems: 1,
      maxItems: 3,
      items: { enum: ['run', 'manage', 'admin'] },
    },
  },
};
