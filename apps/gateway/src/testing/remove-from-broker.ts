import { connect } from 'amqplib';
import { runsTopology } from '@millrace/messages';
import type { BrokerNames } from '@millrace/messages';

/** Deletes the queues and exchanges that a test declared on a RabbitMQ server. */
export async function removeFromBroker(
  url: string,
  names: BrokerNames,
  pools: readonly string[],
): Promise<void> {
  const { queues, exchanges } = runsTopology(names, pools);
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createChannel();
  for (const name of [...queues.map((queue) => queue.name), names.runEvents]) await channel.deleteQueue(name);
  for (const name of [...exchanges.map((exchange) => exchange.name), names.controlExchange]) {
    await channel.deleteExchange(name);
  }
  await connection.close();
}
