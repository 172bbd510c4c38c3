import type { IncomingHttpHeaders } from 'node:http';

const DIGEST_BYTES = 32;
const MAXIMUM_DIGESTS = 10;

/**
 * Returns a header that is present exactly once and not empty; null otherwise. Node joins repeated headers, so it is
 * unclear which one is valid.
 */
export function singleHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' && !value.includes(', ') ? value : null;
}

/** Parses whole seconds since the epoch; null for anything else. */
export function timestampOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** Parses a digest in lower-case hexadecimal; null for anything else. */
export function hexDigest(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** Parses a digest in base64; null for anything else. */
export function base64Digest(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  const digest = Buffer.from(text, 'base64');
  return digest.length === DIGEST_BYTES ? digest : null;
}

/** Returns the digests without nulls, at most ten. */
export function digestsOf(candidates: readonly (Buffer | null)[]): Buffer[] {
  return candidates.filter((digest) => digest !== null).slice(0, MAXIMUM_DIGESTS);
}

/** Returns the UTF-8 bytes of a secret; null when it is empty. */
export function textKey(secret: string): Buffer | null {
  return secret === '' ? null : Buffer.from(secret, 'utf8');
}
