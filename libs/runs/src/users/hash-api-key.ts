import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a key, hexadecimal, which is stored and looked up instead of the key. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
