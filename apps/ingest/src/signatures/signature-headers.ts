import type { IncomingHttpHeaders } from 'node:http';

const DIGEST_BYTES = 32;
const MAXIMUM_DIGESTS = 10;

/** A header that came exactly once and is not empty: what came twice was joined, and nobody knows which one counts. */
export function singleHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' && !value.includes(', ') ? value : null;
}

/** Whole seconds since the epoch; null for anything else. */
export function timestampOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** A digest in lower-case hexadecimal, as its senders write it; null for anything else. */
export function hexDigest(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** A digest in base64; null for anything else. */
export function base64Digest(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  const digest = Buffer.from(text, 'base64');
  return digest.length === DIGEST_BYTES ? digest : null;
}

/** The digests among these, at most ten. */
export function digestsOf(candidates: readonly (Buffer | null)[]): Buffer[] {
  return candidates.filter((digest) => digest !== null).slice(0, MAXIMUM_DIGESTS);
}

/** A secret that is used as it is written. */
export function textKey(secret: string): Buffer | null {
  return secret === '' ? null : Buffer.from(secret, 'utf8');
}
