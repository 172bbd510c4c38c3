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

/** A message on its way inside the bus; `deaths` tells where it was dead-lettered before, newest first. */
export interface RoutedMessage extends Omit<OutgoingMessage, 'expirationMilliseconds'> {
  /** Gone with the first death: a dead letter does not expire again. */
  readonly expirationMilliseconds?: number | undefined;
  readonly deaths?: readonly Death[];
}

/**
 * The message as it goes to the queue's dead letter exchange, or null when the queue has none, or when the message
 * was pushed out of this same queue before and would go round for ever.
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
