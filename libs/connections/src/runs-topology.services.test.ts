import { brokerNames, controlTopology, replyTopology, runsTopology } from '@millrace/messages';
import { openMessageBus, type Delivery, type MessageBus } from '@millrace/messaging';
import { createLogger } from '@millrace/service';
import { connect } from 'amqplib';
import { randomUUID } from 'node:crypto';

const names = brokerNames(`test-${randomUUID()}.`);
const runs = runsTopology(names, ['default', 'gpu']);

function brokerUrl(): string {
  const url = process.env['AMQP_URL'];
  if (!url) throw new Error('AMQP_URL is not set: this test needs a RabbitMQ server');
  return url;
}

describe.each([
  ['RabbitMQ', brokerUrl],
  ['the in-process bus', () => undefined],
])('the topology of runs on %s', (_name, url) => {
  let bus: MessageBus;

  beforeAll(async () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    bus = await openMessageBus({ url: url(), logger, name: 'topology test' });
  });

  afterAll(async () => {
    await bus.close();
    if (url() !== undefined) await removeFromBroker();
  });

  test('can be provisioned repeatedly', async () => {
    for (let round = 0; round < 2; round += 1) {
      await bus.provision(runs);
      await bus.provision(controlTopology(names, 'one'));
      await bus.provision(replyTopology(names, 'one'));
    }
  });

  test('routes a job to the lane of its pool', async () => {
    const routingKey = names.routingKey('background', 'gpu');
    const exchange = names.runsExchange;
    const body = Buffer.from('{}');
    await bus.publish({ exchange, routingKey, body, persistent: true, mandatory: true });
    expect(await bus.queueStatus(names.lane('background', 'gpu'))).toMatchObject({ messages: 1 });
    expect(await bus.queueStatus(names.lane('background', 'default'))).toMatchObject({ messages: 0 });
  });

  test('dead-letters a job that is always returned to the quarantine, and then to the dead-letter queue', async () => {
    let tries = 0;
    const retry = async () => {
      tries += 1;
      return 'retry' as const;
    };
    await bus.consume(names.lane('background', 'gpu'), { prefetch: 1 }, retry);
    await bus.consume(names.quarantineQueue, { prefetch: 1 }, retry);
    const dead = await new Promise<Delivery>((resolve, reject) => {
      const onDeadLetter = async (delivery: Delivery) => {
        resolve(delivery);
        return 'done' as const;
      };
      bus.consume(names.deadQueue, { prefetch: 1 }, onDeadLetter).catch(reject);
    });
    expect(tries).toBe(6 + 3);
    expect(dead.headers).toMatchObject({
      'x-first-death-queue': names.lane('background', 'gpu'),
      'x-first-death-reason': 'delivery_limit',
      'x-death': [{ queue: names.quarantineQueue }, { queue: names.lane('background', 'gpu') }],
    });
  });
});

async function removeFromBroker(): Promise<void> {
  const connection = await connect(brokerUrl());
  const channel = await connection.createChannel();
  for (const { name } of runs.queues) await channel.deleteQueue(name);
  for (const name of [names.runsExchange, names.deadExchange, names.controlExchange]) {
    await channel.deleteExchange(name);
  }
  await connection.close();
}
