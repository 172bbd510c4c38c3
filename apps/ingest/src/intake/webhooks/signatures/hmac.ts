import type { SignatureScheme } from './signature-scheme';
import { base64Digest, digestsOf, hexDigest, singleHeader, textKey } from './signature-headers';

const DEFAULT_HEADER = 'x-signature';
const PREFIX = 'sha256=';

/**
 * An HMAC-SHA256 over the body in a header that the flow configures, for senders without their own scheme. Hexadecimal
 * in either case, or base64; an optional `sha256=` prefix is accepted.
 */
export const hmac: SignatureScheme = {
  read(headers, { header = DEFAULT_HEADER, encoding = 'hex' }) {
    const value = singleHeader(headers, header);
    if (value === null) return null;
    const text = value.startsWith(PREFIX) ? value.slice(PREFIX.length) : value;
    const digest = encoding === 'hex' ? hexDigest(text.toLowerCase()) : base64Digest(text);
    return { digests: digestsOf([digest]), prefix: '', timestamp: null };
  },
  keyOf: textKey,
};
