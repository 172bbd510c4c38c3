import type { Logger, Metrics, TlsMaterial } from '@millrace/service';
import { InProcessBus } from './in-process/in-process-bus';
import { MeasuredBus } from './measured-bus';
import type { MessageBus } from './message-bus';
import { RabbitMqBus } from './rabbitmq/rabbitmq-bus';

export interface OpenMessageBusOptions {
  /** RabbitMQ's address; undefined for a bus inside this process. */
  readonly url: string | undefined;
  /** Certificates and key for amqps://. */
  readonly tls?: TlsMaterial | undefined;
  readonly logger: Logger;
  /** Name of the connections in the broker's tools. */
  readonly name: string;
  readonly metrics?: Metrics;
}

/** Opens the bus that the settings select. Rejects with BusUnavailableError when RabbitMQ cannot be reached. */
export async function openMessageBus({
  url,
  tls,
  logger,
  name,
  metrics,
}: OpenMessageBusOptions): Promise<MessageBus> {
  const bus =
    url === undefined
      ? new InProcessBus({ logger })
      : await RabbitMqBus.connect({ url, tls, logger, connectionName: name });
  return metrics === undefined ? bus : new MeasuredBus(bus, metrics);
}
