import type { SignatureScheme } from './signature-scheme';
import { digestsOf, hexDigest, singleHeader, textKey, timestampOf } from './signature-headers';

/** Stripe's `Stripe-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`, over `<seconds>.<body>`. */
export const stripe: SignatureScheme = {
  read(headers) {
    const parts = singleHeader(headers, 'stripe-signature')?.split(',') ?? [];
    const valuesOf = (name: string) =>
      parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
    const [signedAt = null, another] = valuesOf('t');
    const timestamp = timestampOf(signedAt);
    if (timestamp === null || another !== undefined) return null;
    return { digests: digestsOf(valuesOf('v1').map(hexDigest)), prefix: `${signedAt}.`, timestamp };
  },
  keyOf: textKey,
};
