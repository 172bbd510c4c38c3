import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** The text of an API key that nobody can guess: `sk-` and 43 characters. */
export function newApiKey(): string {
  return `sk-${randomBytes(KEY_BYTES).toString('base64url')}`;
}
