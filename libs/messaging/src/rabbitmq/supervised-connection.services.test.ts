import type { ChannelModel } from 'amqplib';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { recordingLogger } from '../recording-logger.fixture';
import { brokerUrl } from './broker.fixture';
import { BrokerAddresses } from './broker-addresses';
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
