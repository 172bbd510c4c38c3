import type { Logger, Metrics, TlsMaterial } from '@millrace/service';
import { InProcessBus } from './in-process/in-process-bus';
import { MeasuredBus } from './measured-bus';
import type { MessageBus } from './message-bus';
import { RabbitMqBus } from './rabbitmq/rabbitmq-bus';

export interface OpenMessageBusOptions {
  /** RabbitMQ's address; undefined means a bus inside this process. */
  readonly url: string | undefined;
  /** Certificates and key for amqps://. */
  readonly tls?: TlsMaterial | undefined;
  readonly logger: Logger;
  /** Who is connected, as the broker's tools show it. */
  readonly name: string;
  readonly metrics?: Metrics;
}

/** The bus that the settings ask for, connected. BusUnavailableError when RabbitMQ can not be reached. */
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
