import { randomUUID } from 'node:crypto';
import { createOutgoingGuard } from '@millrace/service';
import { TcpProxy } from '@millrace/testing';
import { connect } from 'amqplib';
import type { ChannelModel } from 'amqplib';
import { brokerUrl } from './broker.fixture';
import { ExternalBroker } from './external-broker';

const queue = `external-${randomUUID()}`;
const exchange = `${queue}-exchange`;
let administration: ChannelModel;
let broker: ExternalBroker;

beforeAll(async () => {
  administration = await connect(brokerUrl());
  const channel = await administration.createChannel();
  await channel.assertQueue(queue, { exclusive: true });
  broker = await ExternalBroker.open(brokerUrl(), {
    guard: createOutgoingGuard({ allow: ['127.0.0.0/8', '::1'] }),
    connectionName: 'external broker test',
    connectTimeoutMilliseconds: 10_000,
  });
}, 60_000);
afterAll(async () => {
  await broker?.close();
  await administration.close();
}, 60_000);

const publish = (changes: { readonly exchange?: string; readonly routingKey?: string } = {}) =>
  broker.publish(
    {
      exchange: '',
      routingKey: queue,
      body: Buffer.from('text'),
      messageId: randomUUID(),
      correlationId: null,
      type: 'test',
      contentType: 'text/plain',
      timestamp: 1,
      mandatory: true,
      ...changes,
    },
    10_000,
  );

test('a message is confirmed by its queue, and returned without one', async () => {
  expect(await publish()).toBe('confirmed');
  expect(await publish({ routingKey: `${queue}-none` })).toBe('returned');
});

test('a message to a missing exchange fails alone, and succeeds once the exchange exists', async () => {
  await expect(publish({ exchange })).rejects.toThrow();
  expect(await publish()).toBe('confirmed');
  const channel = await administration.createChannel();
  await channel.assertExchange(exchange, 'fanout', { autoDelete: true });
  await channel.bindQueue(queue, exchange, '');
  expect(await publish({ exchange })).toBe('confirmed');
});

test('a missing queue refuses its consumer, and the connection stays open', async () => {
  const options = { prefetch: 1, maximumBytes: 1_000 };
  await expect(broker.consume(`${queue}-none`, options, () => undefined)).rejects.toThrow();
  expect(await publish()).toBe('confirmed');
});

test('a connection that is cut resolves to the reason, and rejects nowhere', async () => {
  const { hostname, port } = new URL(brokerUrl());
  const proxy = await TcpProxy.listen({ host: hostname, port: Number(port || 5672) });
  const address = new URL(brokerUrl());
  address.port = String(proxy.port);
  const cut = await ExternalBroker.open(address.href, {
    guard: createOutgoingGuard({ allow: ['127.0.0.0/8', '::1'] }),
    connectionName: 'cut broker test',
    connectTimeoutMilliseconds: 10_000,
  });
  proxy.cut();
  expect(await cut.closed).toMatch(/./);
  await cut.close();
  await proxy.close();
});
