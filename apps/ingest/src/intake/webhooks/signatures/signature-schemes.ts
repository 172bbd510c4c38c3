import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookSignature } from '@millrace/flow';

/** The signature that a request carries in its headers, not yet verified. */
export interface SignatureClaim {
  /** HMAC-SHA256 digests, 32 bytes each; one of them must match. */
  readonly digests: readonly Buffer[];
  /** The signed bytes before the body. */
  readonly prefix: string;
  /** When it was signed, in seconds since the epoch; null when the scheme has no timestamp. */
  readonly timestamp: number | null;
  /** The delivery id, if it is part of the signed bytes. */
  readonly deliveryId?: string;
}

/** A way of signing webhooks. */
export interface SignatureScheme {
  /** Reads the signature from the headers; null when they contain none of this scheme. */
  read(headers: IncomingHttpHeaders, rule: WebhookSignature): SignatureClaim | null;
  /** Returns the key bytes of a secret; null when it is not a valid secret. */
  keyOf(secret: string): Buffer | null;
}

const SHA256_PREFIX = 'sha256=';

/** GitHub's `X-Hub-Signature-256`, over the body only: a replay can be recognized by the delivery id alone. */
export const github: SignatureScheme = {
  read(headers) {
    const signature = singleHeader(headers, 'x-hub-signature-256');
    if (!signature?.startsWith(SHA256_PREFIX)) return null;
    return {
      digests: digestsOf([hexDigest(signature.slice(SHA256_PREFIX.length))]),
      prefix: '',
      timestamp: null,
    };
  },
  keyOf: textKey,
};

const SLACK_PREFIX = 'v0=';

/** Slack's `X-Slack-Signature: v0=<hex>`, over `v0:<seconds>:<body>`. */
export const slack: SignatureScheme = {
  read(headers) {
    const signature = singleHeader(headers, 'x-slack-signature');
    const signedAt = singleHeader(headers, 'x-slack-request-timestamp');
    const timestamp = timestampOf(signedAt);
    if (timestamp === null || !signature?.startsWith(SLACK_PREFIX)) return null;
    const digests = digestsOf([hexDigest(signature.slice(SLACK_PREFIX.length))]);
    return { digests, prefix: `v0:${signedAt}:`, timestamp };
  },
  keyOf: textKey,
};

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

const DEFAULT_HEADER = 'x-signature';

/**
 * An HMAC-SHA256 over the body in a header that the flow configures, for senders without their own scheme. Hexadecimal
 * in either case, or base64; an optional `sha256=` prefix is accepted.
 */
export const hmac: SignatureScheme = {
  read(headers, { header = DEFAULT_HEADER, encoding = 'hex' }) {
    const value = singleHeader(headers, header);
    if (value === null) return null;
    const text = value.startsWith(SHA256_PREFIX) ? value.slice(SHA256_PREFIX.length) : value;
    const digest = encoding === 'hex' ? hexDigest(text.toLowerCase()) : base64Digest(text);
    return { digests: digestsOf([digest]), prefix: '', timestamp: null };
  },
  keyOf: textKey,
};

const DIGEST_BYTES = 32;
const MAXIMUM_DIGESTS = 10;

/**
 * Returns a header that is present exactly once and not empty; null otherwise. Node joins repeated headers, so it is
 * unclear which one is valid.
 */
function singleHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' && !value.includes(', ') ? value : null;
}

/** Parses whole seconds since the epoch; null for anything else. */
function timestampOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** Parses a digest in lower-case hexadecimal; null for anything else. */
function hexDigest(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

/** Parses a digest in base64; null for anything else. */
function base64Digest(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  const digest = Buffer.from(text, 'base64');
  return digest.length === DIGEST_BYTES ? digest : null;
}

/** Returns the digests without nulls, at most ten. */
function digestsOf(candidates: readonly (Buffer | null)[]): Buffer[] {
  return candidates.filter((digest) => digest !== null).slice(0, MAXIMUM_DIGESTS);
}

/** Returns the UTF-8 bytes of a secret; null when it is empty. */
function textKey(secret: string): Buffer | null {
  return secret === '' ? null : Buffer.from(secret, 'utf8');
}
