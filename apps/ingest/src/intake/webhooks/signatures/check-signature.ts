import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookSignature } from '@millrace/flow';
import { github, slack, standardWebhooks, stripe, hmac } from './signature-schemes';
import type { SignatureClaim, SignatureScheme } from './signature-schemes';

const SCHEMES: Readonly<Record<WebhookSignature['scheme'], SignatureScheme>> = {
  'standard-webhooks': standardWebhooks,
  github,
  stripe,
  slack,
  hmac,
};
const TOLERANCE_SECONDS = 300;

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The bytes as received. */
  readonly body: Buffer;
}

/**
 * Returns the claim of a request that was signed with one of the secrets, within the time tolerance; null for any other.
 * `now` is in milliseconds since the epoch. Compares digests in constant time.
 */
export function checkSignature(
  { headers, body }: SignedRequest,
  rule: WebhookSignature,
  secrets: readonly string[],
  now: number,
): SignatureClaim | null {
  const scheme = SCHEMES[rule.scheme];
  const claim = scheme.read(headers, rule);
  if (!claim || !isFresh(claim, rule, now)) return null;
  let isSigned = false;
  for (const secret of secrets) {
    const key = scheme.keyOf(secret);
    if (!key) continue;
    const expected = createHmac('sha256', key).update(claim.prefix).update(body).digest();
    for (const digest of claim.digests) if (timingSafeEqual(digest, expected)) isSigned = true;
  }
  return isSigned ? claim : null;
}

function isFresh(
  { timestamp }: SignatureClaim,
  { toleranceSeconds }: WebhookSignature,
  now: number,
): boolean {
  if (timestamp === null) return true;
  return Math.abs(Math.floor(now / 1_000) - timestamp) <= (toleranceSeconds ?? TOLERANCE_SECONDS);
}
