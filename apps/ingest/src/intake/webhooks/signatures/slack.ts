import type { SignatureScheme } from './signature-scheme';
import { digestsOf, hexDigest, singleHeader, textKey, timestampOf } from './signature-headers';

const PREFIX = 'v0=';

/** Slack's `X-Slack-Signature: v0=<hex>`, over `v0:<seconds>:<body>`. */
export const slack: SignatureScheme = {
  read(headers) {
    const signature = singleHeader(headers, 'x-slack-signature');
    const signedAt = singleHeader(headers, 'x-slack-request-timestamp');
    const timestamp = timestampOf(signedAt);
    if (timestamp === null || !signature?.startsWith(PREFIX)) return null;
    const digests = digestsOf([hexDigest(signature.slice(PREFIX.length))]);
    return { digests, prefix: `v0:${signedAt}:`, timestamp };
  },
  keyOf: textKey,
};
