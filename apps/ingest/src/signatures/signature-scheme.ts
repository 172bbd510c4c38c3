import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookSignature } from '@millrace/contracts';

/** What a sender claims with its headers. */
export interface SignatureClaim {
  /** The HMAC-SHA256 digests it gives, 32 bytes each; any one of them must be right. */
  readonly digests: readonly Buffer[];
  /** What stands before the body in the signed bytes. */
  readonly prefix: string;
  /** When it was signed, in seconds since the epoch; null when the scheme does not say. */
  readonly timestamp: number | null;
  /** The delivery's id where it is part of the signed bytes. */
  readonly deliveryId?: string;
}

/** One way of signing webhooks. */
export interface SignatureScheme {
  /** Null when the headers hold no signature of this scheme. */
  read(headers: IncomingHttpHeaders, rule: WebhookSignature): SignatureClaim | null;
  /** The bytes of a secret; null when it is none. */
  keyOf(secret: string): Buffer | null;
}
