import type { SignatureScheme } from './signature-scheme';
import { digestsOf, hexDigest, singleHeader, textKey } from './signature-headers';

const PREFIX = 'sha256=';

/** GitHub's `X-Hub-Signature-256`, over the body only: a replay can be recognized by the delivery id alone. */
export const github: SignatureScheme = {
  read(headers) {
    const signature = singleHeader(headers, 'x-hub-signature-256');
    if (!signature?.startsWith(PREFIX)) return null;
    return { digests: digestsOf([hexDigest(signature.slice(PREFIX.length))]), prefix: '', timestamp: null };
  },
  keyOf: textKey,
};
