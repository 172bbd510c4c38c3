import type { OutgoingMessage, QueueDefinition } from '../message-bus';

export type DeathReason = 'rejected' | 'expired' | 'maxlen' | 'delivery_limit';

/** One entry of the `x-death` header, as RabbitMQ writes it. */
interface Death {
  readonly queue: string;
  readonly reason: DeathReason;
  readonly count: number;
  readonly exchange: string;
  readonly 'routing-keys': readonly string[];
}

/** A message inside the bus; `deaths` lists where it was dead-lettered before, newest first. */
export interface RoutedMessage extends Omit<OutgoingMessage, 'expirationMilliseconds'> {
  /** Removed when the message is dead-lettered: a dead letter does not expire again. */
  readonly expirationMilliseconds?: number | undefined;
  readonly deaths?: readonly Death[];
}

/**
 * Returns the message for the queue's dead-letter exchange. Null when the queue has none, or when the same queue
 * dropped the message before because of its maximum length, which would make it circulate forever.
 */
export function deadLetter(
  message: RoutedMessage,
  queue: QueueDefinition,
  reason: DeathReason,
): RoutedMessage | null {
  if (queue.deadLetterExchange === undefined) return null;
  const earlier = message.deaths ?? [];
  const same = earlier.find((death) => death.queue === queue.name && death.reason === reason);
  if (same && reason === 'maxlen') return null;
  const death: Death = {
    queue: queue.name,
    reason,
    count: (same?.count ?? 0) + 1,
    exchange: message.exchange,
    'routing-keys': [message.routingKey],
  };
  return {
    ...message,
    expirationMilliseconds: undefined,
    exchange: queue.deadLetterExchange,
    routingKey: queue.deadLetterRoutingKey ?? message.routingKey,
    mandatory: false,
    deaths: [death, ...earlier.filter((other) => other !== same)],
  };
}
