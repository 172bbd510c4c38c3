import { connect, type Channel, type ChannelModel } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { recordingLogger, until } from '@millrace/service/testing';
import { messageTo } from './broken-broker.fixture';
import { brokerUrl, removeFromBroker } from './broker.fixture';
import { RabbitMqBus } from './rabbitmq-bus';

const CHECK_MILLISECONDS = 50;

/** Collects the channels that the process opens from now on. */
async function collectChannels(): Promise<{ readonly channels: Channel[]; readonly restore: () => void }> {
  const connection = await connect(brokerUrl());
  const prototype = Object.getPrototypeOf(connection) as ChannelModel;
  await connection.close();
  const { createChannel } = prototype;
  const channels: Channel[] = [];
  prototype.createChannel = async function open(this: ChannelModel, ...parameters) {
    const channel = await createChannel.apply(this, parameters);
    channels.push(channel);
    return channel;
  };
  return { channels, restore: () => (prototype.createChannel = createChannel) };
}

/** Cancels the consumer of a channel as the broker sees it. The bus gets no notice. */
async function forgetConsumer(channels: readonly Channel[]): Promise<void> {
  for (const channel of channels)
    for (const tag of (channel as Channel & { readonly consumers: Map<string, unknown> }).consumers.keys())
      await channel.cancel(tag);
}

describe('a consumer of a quorum queue', () => {
  const queue = `forgotten-${randomUUID()}`;
  const topology = { exchanges: [], queues: [{ name: queue, kind: 'quorum' as const }], bindings: [] };
  const logger = recordingLogger();
  const reconnections = () =>
    logger.lines.filter(({ message }) => message.startsWith('RabbitMQ delivers nothing')).length;
  let bus: RabbitMqBus;
  let opened: Awaited<ReturnType<typeof collectChannels>>;

  beforeAll(async () => {
    opened = await collectChannels();
    bus = await RabbitMqBus.connect({
      url: brokerUrl(),
      logger,
      connectionName: 'forgotten consumer',
      consumerCheckMilliseconds: CHECK_MILLISECONDS,
    });
    await bus.provision(topology);
  }, 60_000);

  afterAll(async () => {
    opened.restore();
    await bus.close();
    await removeFromBroker(topology);
  }, 60_000);

  test('that the broker no longer knows connects again and gets what waits', async () => {
    const received: string[] = [];
    const consumer = await bus.consume(queue, { prefetch: 2 }, async ({ body }) => {
      received.push(body.toString());
      return 'done';
    });
    await bus.publish(messageTo(queue, 'before'));
    await until(() => received.includes('before'), 'the first message');
    await forgetConsumer(opened.channels);
    await bus.publish(messageTo(queue, 'after'));
    await until(() => received.includes('after'), 'the message that waits');
    expect(reconnections()).toBe(1);
    await consumer.close();
  }, 60_000);

  test('that handles as many messages as it may keeps its connection while others wait', async () => {
    const before = reconnections();
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let handled = 0;
    const consumer = await bus.consume(queue, { prefetch: 1 }, async () => {
      await finished;
      handled += 1;
      return 'done';
    });
    for (const text of ['one', 'two', 'three']) await bus.publish(messageTo(queue, text));
    // Longer than the checks after which an idle consumer would connect again.
    await pause(10 * CHECK_MILLISECONDS);
    expect(reconnections()).toBe(before);
    finish();
    await until(() => handled === 3, 'the messages that wait');
    await consumer.close();
  }, 60_000);
});
