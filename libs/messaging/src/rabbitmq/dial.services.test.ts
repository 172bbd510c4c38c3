import { Socket } from 'node:net';
import { dial } from './dial';

const url = process.env['AMQP_URL'];
if (url === undefined) throw new Error('AMQP_URL must name a RabbitMQ for these tests');

const options = { connectTimeoutMilliseconds: 30_000, heartbeatSeconds: 10 };

test('a connection that is cut before its owner listens closes without an unhandled error', async () => {
  const connection = await dial(url, { ...options, connectionName: 'cut' });
  const closed = new Promise((resolve) => connection.model.on('close', resolve));
  connection.destroy();
  await closed;
});

test('messages leave in the turn of the event loop in which they are published', async () => {
  const { model, destroy } = await dial(url, { ...options, connectionName: 'at once' });
  try {
    const channel = await model.createConfirmChannel();
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const socket: unknown = Reflect.get(model.connection, 'stream');
    if (!(socket instanceof Socket)) throw new Error('amqplib does not expose its socket');
    const before = socket.bytesWritten;
    const nextTurn = new Promise<number>((resolve) => setImmediate(() => resolve(socket.bytesWritten)));
    const body = Buffer.alloc(1_000);
    for (let count = 0; count < 3; count += 1) channel.sendToQueue(queue, body);
    expect((await nextTurn) - before).toBeGreaterThan(3 * body.length);
    await channel.waitForConfirms();
  } finally {
    destroy();
  }
});
