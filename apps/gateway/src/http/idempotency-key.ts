import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '@millrace/http';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the key that identifies repeated requests of one caller as one run; null when the caller gave none. Throws
 * idempotency_key_invalid.
 */
export function idempotencyKey(headers: IncomingHttpHeaders, userId: string): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return `${userId} ${key}`;
  const text = 'An Idempotency-Key must have 1 to 255 visible ASCII characters.';
  throw new HttpError('idempotency_key_invalid', text);
}
