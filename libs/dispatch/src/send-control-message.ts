import type { BrokerNames, ControlMessage } from '@millrace/messages';
import type { MessageBus } from '@millrace/messaging';

export interface ControlMessageRoute {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
}

/**
 * Sends a control message to all processes. Resolves when the broker has confirmed it. A process that is not connected at
 * that time never receives it.
 */
export function broadcastControlMessage(
  { bus, names }: ControlMessageRoute,
  message: ControlMessage,
): Promise<void> {
  return bus.publish({
    exchange: names.controlExchange,
    routingKey: '',
    body: Buffer.from(JSON.stringify(message)),
    persistent: false,
    mandatory: false,
  });
}

/** Sends a control message to one process. Rejects with an UnroutableError when the process is not connected. */
export function sendControlMessage(
  { bus, names }: ControlMessageRoute,
  instance: string,
  message: ControlMessage,
): Promise<void> {
  return bus.publish({
    exchange: '',
    routingKey: names.control(instance),
    body: Buffer.from(JSON.stringify(message)),
    persistent: false,
    mandatory: true,
  });
}
