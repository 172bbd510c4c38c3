import type { Delivery, QueueDefinition } from '../message-bus';
import type { RoutedMessage } from './dead-letter';

/** One message in one queue. */
export interface StoredMessage {
  readonly message: RoutedMessage;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | null;
  /** Number of times the message was delivered and returned. */
  returns: number;
}

/** Converts a message for storage: the shorter time to live, the message's or the queue's, starts now. */
export function storeMessage(
  message: RoutedMessage,
  queue: QueueDefinition,
  nowMilliseconds: number,
): StoredMessage {
  const own = message.expirationMilliseconds ?? Infinity;
  const lifetime = Math.min(own, queue.messageTtlMilliseconds ?? Infinity);
  return { message, expiresAt: lifetime === Infinity ? null : nowMilliseconds + lifetime, returns: 0 };
}

/** Returns the delivery that the handler receives. */
export function deliveryOf(stored: StoredMessage, queue: QueueDefinition): Delivery {
  const { message, returns } = stored;
  return {
    body: message.body,
    exchange: message.exchange,
    routingKey: message.routingKey,
    messageId: message.messageId,
    correlationId: message.correlationId,
    replyTo: message.replyTo,
    type: message.type,
    headers: deliveryHeaders(stored, queue),
    redelivered: returns > 0,
  };
}

/** The sender's headers and those that RabbitMQ adds: the count of returns (quorum queues only) and the deaths. */
function deliveryHeaders(
  { message, returns }: StoredMessage,
  queue: QueueDefinition,
): Readonly<Record<string, unknown>> {
  const { headers = {}, deaths } = message;
  const isCounted = returns > 0 && queue.kind === 'quorum';
  if (!isCounted && deaths === undefined) return headers;
  const first = deaths?.at(-1);
  return {
    ...headers,
    ...(isCounted && { 'x-delivery-count': returns }),
    ...(first && {
      'x-death': deaths,
      'x-first-death-queue': first.queue,
      'x-first-death-reason': first.reason,
      'x-first-death-exchange': first.exchange,
    }),
  };
}
