import { createHash } from 'node:crypto';

/** Returns a digest that identifies texts: 16 hex digits. */
export function textDigest(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('hex').slice(0, 16);
}
