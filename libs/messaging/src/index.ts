export type * from './message-bus';
export {
  BusUnavailableError,
  QueueMissingError,
  RefusedError,
  TopologyMismatchError,
  UnconfirmedError,
  UnroutableError,
} from './message-bus-errors';
export { InProcessBus } from './in-process/in-process-bus';
export type { InProcessBusOptions } from './in-process/in-process-bus';
export { openMessageBus } from './open-message-bus';
export type { OpenMessageBusOptions } from './open-message-bus';
export { dial as dialBroker } from './rabbitmq/dial';
export { ExternalBroker, reasonOf } from './rabbitmq/external-broker';
export type { ExternalMessage } from './rabbitmq/external-broker';
export type { ExternalConsumer, ExternalDelivery } from './rabbitmq/external-consumer';
export { queueOptions } from './rabbitmq/queue-options';
export { RabbitMqBus } from './rabbitmq/rabbitmq-bus';
export type { RabbitMqBusOptions } from './rabbitmq/rabbitmq-bus';
export { MAXIMUM_BODY_BYTES } from './maximum-body-bytes';
export { TurnBatches } from './turn-batches';
export type { AfterTurn } from './turn-batches';
