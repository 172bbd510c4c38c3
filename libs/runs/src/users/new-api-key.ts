import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** Generates an unguessable API key: `sk-` and 43 characters. */
export function newApiKey(): string {
  return `sk-${randomBytes(KEY_BYTES).toString('base64url')}`;
}
