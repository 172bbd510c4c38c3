import type { Options } from 'amqplib';
import type { QueueDefinition } from '../message-bus';

/**
 * Converts a definition to RabbitMQ's options, in a form that 3.10 and 4.x accept. Delivery limit and dead-letter
 * strategy exist on quorum queues only; the kind is always set, because a virtual host can have another default.
 */
export function queueOptions(definition: QueueDefinition): Options.AssertQueue {
  const isQuorum = definition.kind === 'quorum';
  const settings: Record<string, string | number | undefined> = {
    'x-queue-type': definition.kind,
    'x-max-length': definition.maximumLength,
    'x-overflow': definition.overflow,
    'x-message-ttl': definition.messageTtlMilliseconds,
    'x-dead-letter-exchange': definition.deadLetterExchange,
    'x-dead-letter-routing-key': definition.deadLetterRoutingKey,
    'x-delivery-limit': isQuorum ? definition.deliveryLimit : undefined,
    'x-dead-letter-strategy': isQuorum ? definition.deadLetterStrategy : undefined,
  };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const isExclusive = definition.exclusive === true;
  return { durable: !isExclusive, exclusive: isExclusive, arguments: Object.fromEntries(given) };
}
