import { createHash } from 'node:crypto';

/** SHA-256 of a key, hexadecimal: what is stored and looked up instead of the key. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
