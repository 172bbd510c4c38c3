import type { ChannelModel } from 'amqplib';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { recordingLogger, until } from '@millrace/service/testing';
import { TcpProxy } from '@millrace/testing';
import { brokerUrl } from './broker.fixture';
import { BrokerAddresses } from './broker-addresses';
import { dial } from './dial';
import { SupervisedChannel } from './supervised-channel';
import { SupervisedConnection } from './supervised-connection';

/** Longer than the first tries to connect again are apart. */
const FURTHER_TRIES_MILLISECONDS = 500;

test('a connection that is lost during its first set-up is replaced by one connection', async () => {
  const models: ChannelModel[] = [];
  const connection = new SupervisedConnection(
    {
      addresses: new BrokerAddresses(brokerUrl()),
      connectionName: 'supervised-connection-test',
      connectTimeoutMilliseconds: 30_000,
      heartbeatSeconds: 10,
    },
    {
      connected: async (model) => {
        models.push(model);
        if (models.length > 1) return;
        const closed = new Promise((resolve) => model.once('close', resolve));
        connection.cut();
        await closed;
      },
      disconnected: () => undefined,
      unreachable: () => undefined,
    },
    recordingLogger(),
  );
  const failure = await connection.openWithRetry();
  expect(failure).toMatchObject({ message: 'the connection was lost during its set-up' });
  await until(() => connection.model !== null);
  await pause(FURTHER_TRIES_MILLISECONDS);
  expect(models).toHaveLength(2);
  expect(connection.model).toBe(models[1]);
  await connection.close();
});

test('a connection whose set-up fails is closed', async () => {
  const models: ChannelModel[] = [];
  const connection = new SupervisedConnection(
    {
      addresses: new BrokerAddresses(brokerUrl()),
      connectionName: 'supervised-connection-test',
      connectTimeoutMilliseconds: 30_000,
      heartbeatSeconds: 10,
    },
    {
      connected: async (model) => {
        if (models.push(model) === 1) throw new Error('no channel');
      },
      disconnected: () => undefined,
      unreachable: () => undefined,
    },
    recordingLogger(),
  );
  expect(await connection.openWithRetry()).toMatchObject({ message: 'no channel' });
  const [failed] = models;
  // The types of amqplib leave out the socket.
  const { stream } = failed?.connection as unknown as { readonly stream: Socket };
  expect(stream.destroyed).toBe(true);
  await until(() => connection.model !== null);
  expect(connection.model).toBe(models[1]);
  await connection.close();
});

test('a broker is unreachable once each of its nodes has refused, and is connected to when one is back', async () => {
  const { hostname, port } = new URL(brokerUrl());
  const proxy = await TcpProxy.listen({ host: hostname, port: Number(port || 5672) });
  const url = new URL(brokerUrl());
  url.port = String(proxy.port);
  const logger = recordingLogger();
  const refusals = () => logger.lines.filter(({ message }) => message.startsWith('no connection')).length;
  const refusalsWhenUnreachable: number[] = [];
  let connections = 0;
  const connection = new SupervisedConnection(
    {
      addresses: new BrokerAddresses(`${url.href},amqp://127.0.0.1:1`, () => 0),
      connectionName: 'supervised-connection-test',
      connectTimeoutMilliseconds: 30_000,
      heartbeatSeconds: 10,
    },
    {
      connected: async () => void (connections += 1),
      disconnected: () => undefined,
      unreachable: () => void refusalsWhenUnreachable.push(refusals()),
    },
    logger,
  );
  expect(await connection.openWithRetry()).toBeNull();
  proxy.set({ isRefusing: true });
  proxy.cut();
  await until(() => refusalsWhenUnreachable.length > 0);
  expect(refusalsWhenUnreachable[0]).toBe(2);
  proxy.clear();
  await until(() => connections === 2);
  await connection.close();
  await proxy.close();
});

test('a channel that cannot be opened again is opened later, and a listener on it that throws is logged', async () => {
  const { model, destroy } = await dial(brokerUrl(), {
    connectionName: 'supervised-channel-test',
    connectTimeoutMilliseconds: 30_000,
    heartbeatSeconds: 10,
  });
  const logger = recordingLogger();
  const error = new Error('not yet');
  let tries = 0;
  const channel = new SupervisedChannel(
    {
      name: 'test',
      create: (connection) => connection.createChannel(),
      prepare: async () => {
        if ((tries += 1) === 2) throw error;
      },
      lost: () => undefined,
    },
    logger,
  );
  await channel.attach(model);
  channel.current?.once('close', () => {
    throw error;
  });
  channel.replace();
  await until(() => tries === 3 && channel.current !== null, 'the second try to open it again');
  for (const message of ['could not open a channel; will retry', 'a listener on a channel failed'])
    expect(logger.fieldsOf(message)).toEqual([{ error }]);
  channel.detach();
  destroy();
});
