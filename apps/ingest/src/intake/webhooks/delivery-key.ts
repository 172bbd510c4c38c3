import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FlowReference } from '@millrace/runs';

const MAXIMUM_ID_LENGTH = 255;
/** The headers in which senders give the id of a delivery; the first one present is used. */
const DELIVERY_HEADERS = ['webhook-id', 'svix-id', 'x-github-delivery', 'idempotency-key'] as const;
/** Where the signed body contains the delivery id, by scheme. */
const BODY_IDS: Readonly<Record<string, { readonly member: string; readonly pattern: RegExp }>> = {
  stripe: { member: 'id', pattern: /^evt_\w{1,250}$/ },
  slack: { member: 'event_id', pattern: /^Ev\w{1,250}$/ },
};

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly payload: string;
  /** The delivery id that is part of the signed bytes, if any. */
  readonly signedId: string | undefined;
}

/**
 * Returns the key under which deliveries count as the same one; null when the delivery has no id. A signed id takes
 * precedence, because a replayed delivery can carry any other header.
 */
export function deliveryKey(flow: FlowReference, delivery: Delivery): string | null {
  const { headers, payload, signedId } = delivery;
  const key = (source: string, id: string) => `${flow.id}:${source}:${storableId(id)}`;
  if (signedId !== undefined && signedId !== '') return key('webhook-id', signedId);
  const { signature, deliveryIdHeader } = flow.settings.webhook ?? {};
  const bodyId = signature && idInBody(signature.scheme, payload);
  if (bodyId !== undefined) return key('event', bodyId);
  const configuredHeaders = deliveryIdHeader === undefined ? [] : [deliveryIdHeader.toLowerCase()];
  for (const name of [...configuredHeaders, ...DELIVERY_HEADERS]) {
    const value = headers[name];
    if (typeof value === 'string' && value.length > 0) return key(name, value);
  }
  return null;
}

/** A longer id is replaced by its digest: a sender that repeats it must not start a second run. */
function storableId(id: string): string {
  if (id.length <= MAXIMUM_ID_LENGTH) return id;
  return `sha256=${createHash('sha256').update(id).digest('hex')}`;
}

function idInBody(scheme: string, payload: string): string | undefined {
  const location = BODY_IDS[scheme];
  if (!location) return undefined;
  try {
    const body = JSON.parse(payload) as Readonly<Record<string, unknown>> | null;
    const id = body?.[location.member];
    return typeof id === 'string' && location.pattern.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
