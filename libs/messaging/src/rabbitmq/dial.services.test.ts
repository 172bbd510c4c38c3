import { dial } from './dial';

const url = process.env['AMQP_URL'];
if (url === undefined) throw new Error('AMQP_URL must name a RabbitMQ for these tests');

test('a connection that is cut before its owner listens closes without an unhandled error', async () => {
  const connection = await dial(url, {
    connectionName: 'cut',
    connectTimeoutMilliseconds: 30_000,
    heartbeatSeconds: 10,
  });
  const closed = new Promise((resolve) => connection.model.on('close', resolve));
  connection.destroy();
  await closed;
});
