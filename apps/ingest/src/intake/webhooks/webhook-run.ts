import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { newRun } from '@millrace/dispatch';
import type { FlowReference, NewRun } from '@millrace/runs';
import { HttpError } from '@millrace/http';

export interface ReceivedWebhook {
  /** The id of the run. */
  readonly id: string;
  readonly payload: string;
  readonly dedupeKey: string | null;
  readonly requestId: string | null;
}

export interface WebhookRunLimits {
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
}

/** Returns the run that a webhook starts. */
export function newWebhookRun(
  flow: FlowReference,
  { id, payload, dedupeKey, requestId }: ReceivedWebhook,
  { backgroundLimitMilliseconds, maximumAttempts }: WebhookRunLimits,
): NewRun {
  return newRun({
    id,
    flow,
    userId: flow.userId,
    lane: 'background',
    request: {
      form: 'webhook',
      inputs: [{ components: [], inputValue: '', type: 'chat' }],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: flow.id,
      globalVariables: {},
      webhookPayload: payload,
    },
    dedupeKey,
    requestId,
    limitMilliseconds: backgroundLimitMilliseconds,
    maximumAttempts,
  });
}

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

/**
 * Returns how long the sender of a webhook waits for the answer of the flow: as long as `?wait=N` or the flow says, 0
 * where the flow does not allow it.
 */
export function waitSecondsOf({ settings }: FlowReference, query: URLSearchParams): number {
  const { waitSeconds = 0, maximumWaitSeconds = waitSeconds } = settings.webhook ?? {};
  const text = query.get('wait');
  if (text === null) return waitSeconds;
  if (!/^\d{1,9}$/.test(text))
    throw new HttpError('invalid_value', 'wait must be a whole number of seconds.');
  return Math.min(Number(text), Math.max(maximumWaitSeconds, waitSeconds));
}
