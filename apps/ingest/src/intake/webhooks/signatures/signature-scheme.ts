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
