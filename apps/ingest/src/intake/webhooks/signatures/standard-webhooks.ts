import type { SignatureScheme } from './signature-scheme';
import { base64Digest, digestsOf, singleHeader, timestampOf } from './signature-headers';

const SECRET_PREFIX = 'whsec_';

/** Standard Webhooks 1.0.0, and Svix, which uses other names for the same headers. */
export const standardWebhooks: SignatureScheme = {
  read(headers) {
    // Read all three headers of one family: an id of the other family is not signed.
    const family = 'webhook-signature' in headers ? 'webhook' : 'svix';
    const deliveryId = singleHeader(headers, `${family}-id`);
    const signedAt = singleHeader(headers, `${family}-timestamp`);
    const timestamp = timestampOf(signedAt);
    const signatures = singleHeader(headers, `${family}-signature`);
    if (deliveryId === null || timestamp === null || signatures === null) return null;
    const digests = signatures
      .split(' ')
      .map((text) => (text.startsWith('v1,') ? base64Digest(text.slice('v1,'.length)) : null));
    return { digests: digestsOf(digests), prefix: `${deliveryId}.${signedAt}.`, timestamp, deliveryId };
  },
  keyOf(secret) {
    const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
    const key = Buffer.from(encoded, 'base64');
    return key.length > 0 ? key : null;
  },
};
