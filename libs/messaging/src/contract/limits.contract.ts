import { until } from '../until.fixture';
import { messageTo, texts, type GivenBus } from './given-bus.contract';

/** Full queues, old messages, and messages that always come back. */
export function describeLimits(given: GivenBus): void {
  test('drops the oldest message of a full queue that says so', async () => {
    const queue = await given.aQueue({ maximumLength: 3, overflow: 'drop-head' });
    for (const text of ['one', 'two', 'three', 'four']) await given.bus.publish(messageTo(queue, text));
    const { deliveries } = await given.collect(queue);
    await until('three deliveries', () => deliveries.length === 3);
    expect(texts(deliveries)).toEqual(['two', 'three', 'four']);
  });

  test('drops what waited longer than the message or the queue allows', async () => {
    const own = await given.aQueue();
    const ofTheQueue = await given.aQueue({ messageTtlMilliseconds: 50 });
    await given.bus.publish(messageTo(own, 'late', { expirationMilliseconds: 50 }));
    await given.bus.publish(messageTo(ofTheQueue, 'late'));
    await until('two empty queues', async () => {
      return (await given.waiting(own)) === 0 && (await given.waiting(ofTheQueue)) === 0;
    });
    const { deliveries } = await given.collect(own);
    await given.bus.publish(messageTo(own, 'in time', { expirationMilliseconds: 60_000 }));
    await until('the delivery', () => deliveries.length === 1);
    expect(texts(deliveries)).toEqual(['in time']);
  });

  test('gives up a message after its delivery limit and tells why', async () => {
    const { queue, dead } = await given.aQueueWithDeadLetters({ deliveryLimit: 2 });
    const { deliveries } = await given.collect(queue, ['retry']);
    const graves = await given.collect(dead);
    await given.bus.publish(
      messageTo(queue, 'poison', { persistent: true, messageId: 'p1', headers: { own: 1 } }),
    );
    await until('the dead letter', () => graves.deliveries.length === 1);
    expect(deliveries).toHaveLength(3);
    expect(deliveries.map(({ headers }) => headers['x-delivery-count'])).toEqual([undefined, 1, 2]);
    expect(graves.deliveries[0]).toMatchObject({
      body: Buffer.from('poison'),
      messageId: 'p1',
      headers: {
        own: 1,
        'x-first-death-queue': queue,
        'x-first-death-reason': 'delivery_limit',
        'x-death': [{ queue, reason: 'delivery_limit', count: 1, 'routing-keys': [queue] }],
      },
    });
  });

  test('dead-letters what is discarded and what expires', async () => {
    const { queue, dead } = await given.aQueueWithDeadLetters();
    const { deliveries } = await given.collect(dead);
    await given.bus.publish(messageTo(queue, 'late', { expirationMilliseconds: 30 }));
    await until('the expired one', () => deliveries.length === 1);
    await given.collect(queue, ['discard']);
    await given.bus.publish(messageTo(queue, 'unwanted'));
    await until('the discarded one', () => deliveries.length === 2);
    expect(deliveries.map(({ headers }) => headers['x-first-death-reason'])).toEqual(['expired', 'rejected']);
  });
}
