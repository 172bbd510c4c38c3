import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TOLERANCE_SECONDS = 300;
const SIGNATURE = /^v1=([0-9a-f]{64})$/;
const TIMESTAMP = /^\d{1,12}$/;

export interface SignedDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Checks the signature of a delivery to a trigger: HMAC-SHA256 over `v1:<timestamp>:<body>`, with a timestamp within 300
 * seconds. Returns the key under which repeats of it count as the same delivery, or null when the signature is invalid.
 */
export function checkTriggerSignature(
  { headers, body }: SignedDelivery,
  secret: string,
  nowMilliseconds: number,
): string | null {
  const timestamp = headers['x-langflow-timestamp'];
  const given = SIGNATURE.exec(String(headers['x-langflow-signature']))?.[1];
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp) || given === undefined) return null;
  if (Math.abs(nowMilliseconds / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) return null;
  const signed = createHmac('sha256', secret).update(`v1:${timestamp}:`).update(body).digest();
  if (!timingSafeEqual(signed, Buffer.from(given, 'hex'))) return null;
  return createHash('sha256').update(`${timestamp}:`).update(body).digest('hex');
}
