import { createHash, randomUUID } from 'node:crypto';
import type { QueueSourceRules, MessageFacts } from '@millrace/dispatch';
import { queuePayload } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import type { ExternalDelivery } from '@millrace/messaging';
import type { RejectionReason } from '@millrace/runs';
import { decodeWebhookBody, jsonBody } from '../webhook-body';

const MAXIMUM_KEY_LENGTH = 200;
const MAXIMUM_HEADER_CHARACTERS = 16_384;
const STORABLE = /^[\u0020-\ud7ff\ue000-\uffff]*$/;

/** A message that becomes no event: it is rejected. The message is for the owner of the trigger. */
export class MessageRefusal extends Error {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, detail: string) {
    super(detail);
    this.name = 'MessageRefusal';
    this.reason = reason;
  }
}

/** A message as an event contains it. */
export interface ReadMessage {
  readonly dedupeKey: string;
  /** The payload of the event. */
  readonly payload: string;
  /** The body as JSON text. */
  readonly body: string;
}

export interface ReadLimits {
  readonly maximumBytes: number;
  /** Maximum number of members of a JSON body. */
  readonly maximumMembers: number;
}

/** Reads a message by the rules of its source. Throws MessageRefusal. */
export function readMessage(
  delivery: ExternalDelivery,
  { body: form, dedupeBy }: Pick<QueueSourceRules, 'body' | 'dedupeBy'>,
  limits: ReadLimits,
): ReadMessage {
  if (delivery.body === null)
    throw new MessageRefusal(
      'too_large',
      `The body has ${delivery.bytes} bytes; the limit is ${limits.maximumBytes}.`,
    );
  const body = bodyText(delivery.body, form, limits);
  const id = idOf(delivery, dedupeBy);
  return {
    dedupeKey: id === null ? `message:${randomUUID()}` : `id:${keyOf(id)}`,
    payload: queuePayload(factsOf(delivery), body),
    body,
  };
}

function bodyText(
  body: Buffer,
  form: QueueSourceRules['body'],
  { maximumBytes, maximumMembers }: ReadLimits,
): string {
  if (form === 'base64') return JSON.stringify(body.toString('base64'));
  if (form === 'text') return JSON.stringify(read(() => decodeWebhookBody(body, Infinity)));
  const text = read(() => jsonBody(decodeWebhookBody(body, maximumMembers), maximumBytes));
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new MessageRefusal('undecodable', 'The body is not JSON.');
  }
}

/** Returns what `readText` returns. Throws MessageRefusal in place of HttpError. */
function read(readText: () => string): string {
  try {
    return readText();
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const isExcess = error.code === 'body_too_large';
    throw new MessageRefusal(isExcess ? 'too_large' : 'undecodable', error.message);
  }
}

/** Returns the id by which a message is known; null when it has none, so that each delivery is an event. */
function idOf({ messageId, headers }: ExternalDelivery, rule: QueueSourceRules['dedupeBy']): string | null {
  if (rule === null) return null;
  if ('property' in rule) return messageId;
  const value = Object.hasOwn(headers, rule.header) ? headers[rule.header] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** An id that is long, or contains characters that cannot be stored, is replaced by its digest. */
function keyOf(id: string): string {
  if (id.length <= MAXIMUM_KEY_LENGTH && STORABLE.test(id)) return id;
  return `sha256:${createHash('sha256').update(id).digest('hex')}`;
}

function factsOf(delivery: ExternalDelivery): MessageFacts {
  return {
    message_id: delivery.messageId,
    exchange: delivery.exchange,
    routing_key: delivery.routingKey,
    redelivered: delivery.redelivered,
    correlation_id: delivery.correlationId,
    reply_to: delivery.replyTo,
    type: delivery.type,
    content_type: delivery.contentType,
    content_encoding: delivery.contentEncoding,
    timestamp: delivery.timestamp,
    headers: headersOf(delivery.headers),
  };
}

/** Headers as JSON: bytes as base64. Headers that take too much room are left out. */
function headersOf(headers: Readonly<Record<string, unknown>>): unknown {
  const text = JSON.stringify(headers, (_name, value: unknown) => {
    const bytes = bytesOf(value);
    return bytes === null ? value : bytes.toString('base64');
  });
  return text.length > MAXIMUM_HEADER_CHARACTERS ? {} : JSON.parse(text);
}

/** `JSON.stringify` hands over what a Buffer's `toJSON` returns. */
function bytesOf(value: unknown): Buffer | null {
  const { type, data } = (value ?? {}) as { readonly type?: unknown; readonly data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]) : null;
}
