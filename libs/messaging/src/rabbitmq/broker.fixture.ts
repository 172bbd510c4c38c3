import { connect } from 'amqplib';
import type { Topology } from '../message-bus';

/** Returns the URL of the test broker. */
export function brokerUrl(): string {
  const url = process.env['AMQP_URL'];
  if (!url) throw new Error('AMQP_URL is not set: this test needs a RabbitMQ server');
  return url;
}

/** Deletes what a test declared; ignores parts that are deleted already. */
export async function removeFromBroker(topology: Topology): Promise<void> {
  const connection = await connect(brokerUrl(), { noDelay: true });
  const attempt = async (
    work: (channel: Awaited<ReturnType<typeof connection.createChannel>>) => unknown,
  ) => {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    try {
      await work(channel);
      await channel.close();
    } catch {
      // An exclusive queue is locked to its owner and deleted with it.
    }
  };
  for (const { name } of topology.queues) await attempt((channel) => channel.deleteQueue(name));
  for (const { name } of topology.exchanges) await attempt((channel) => channel.deleteExchange(name));
  await connection.close();
}
