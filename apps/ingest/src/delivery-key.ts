import type { IncomingHttpHeaders } from 'node:http';
import type { FlowReference } from '@millrace/runs';

const LONGEST_ID = 255;
/** Names a delivery in the headers of those who number them; the first one present counts. */
const DELIVERY_HEADERS = ['webhook-id', 'svix-id', 'x-github-delivery', 'idempotency-key'] as const;
/** Where the signed body names the delivery, by scheme. */
const BODY_IDS: Readonly<Record<string, { readonly member: string; readonly pattern: RegExp }>> = {
  stripe: { member: 'id', pattern: /^evt_\w{1,250}$/ },
  slack: { member: 'event_id', pattern: /^Ev\w{1,250}$/ },
};

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly payload: string;
  /** The id that the sender signed, if it did. */
  readonly signedId: string | undefined;
}

/**
 * Under which key deliveries are the same one; null when nothing names it. An id that was signed wins: whoever replays
 * a delivery could put any other header beside it.
 */
export function deliveryKey(flow: FlowReference, delivery: Delivery): string | null {
  const { headers, payload, signedId } = delivery;
  const key = (source: string, id: string) => `${flow.id}:${source}:${id}`;
  if (signedId !== undefined && signedId.length <= LONGEST_ID) return key('webhook-id', signedId);
  const { signature, deliveryIdHeader } = flow.settings.webhook ?? {};
  const bodyId = signature && idInBody(signature.scheme, payload);
  if (bodyId !== undefined) return key('event', bodyId);
  const named = deliveryIdHeader === undefined ? [] : [deliveryIdHeader.toLowerCase()];
  for (const name of [...named, ...DELIVERY_HEADERS]) {
    const value = headers[name];
    if (typeof value === 'string' && value.length > 0 && value.length <= LONGEST_ID) return key(name, value);
  }
  return null;
}

function idInBody(scheme: string, payload: string): string | undefined {
  const place = BODY_IDS[scheme];
  if (!place) return undefined;
  try {
    const body = JSON.parse(payload) as Readonly<Record<string, unknown>> | null;
    const id = body?.[place.member];
    return typeof id === 'string' && place.pattern.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
