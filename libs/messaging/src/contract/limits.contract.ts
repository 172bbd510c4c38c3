import { until } from '@millrace/service/testing';
import { messageTo, texts, type BusFixture } from './bus-fixture.contract';

/** Contract for full queues, expired messages, and messages that are always returned. */
export function describeLimits(given: BusFixture): void {
  test('drops the oldest message of a full queue with drop-head', async () => {
    const queue = await given.declareQueue({ maximumLength: 3, overflow: 'drop-head' });
    for (const text of ['one', 'two', 'three', 'four']) await given.bus.publish(messageTo(queue, text));
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 3, 'three deliveries');
    expect(texts(deliveries)).toEqual(['two', 'three', 'four']);
  });

  test('drops messages that exceed the time to live of the message or the queue', async () => {
    const own = await given.declareQueue();
    const ofTheQueue = await given.declareQueue({ messageTtlMilliseconds: 50 });
    await given.bus.publish(messageTo(own, 'late', { expirationMilliseconds: 50 }));
    await given.bus.publish(messageTo(ofTheQueue, 'late'));
    await until(async () => {
      return (await given.readyMessages(own)) === 0 && (await given.readyMessages(ofTheQueue)) === 0;
    }, 'two empty queues');
    const { deliveries } = await given.collect(own);
    await given.bus.publish(messageTo(own, 'in time', { expirationMilliseconds: 60_000 }));
    await until(() => deliveries.length === 1, 'the delivery');
    expect(texts(deliveries)).toEqual(['in time']);
  });

  test('dead-letters a message after its delivery limit, with the reason', async () => {
    const { queue, dead } = await given.declareQueueWithDeadLetters({ deliveryLimit: 2 });
    const { deliveries } = await given.collect(queue, ['retry']);
    const deadLetters = await given.collect(dead);
    await given.bus.publish(
      messageTo(queue, 'poison', { persistent: true, messageId: 'p1', headers: { own: 1 } }),
    );
    await until(() => deadLetters.deliveries.length === 1, 'the dead letter');
    expect(deliveries).toHaveLength(3);
    expect(deliveries.map(({ headers }) => headers['x-delivery-count'])).toEqual([undefined, 1, 2]);
    expect(deadLetters.deliveries[0]).toMatchObject({
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

  test('dead-letters discarded and expired messages', async () => {
    const { queue, dead } = await given.declareQueueWithDeadLetters();
    const { deliveries } = await given.collect(dead);
    await given.bus.publish(messageTo(queue, 'late', { expirationMilliseconds: 30 }));
    await until(() => deliveries.length === 1, 'the expired one');
    await given.collect(queue, ['discard']);
    await given.bus.publish(messageTo(queue, 'unwanted'));
    await until(() => deliveries.length === 2, 'the discarded one');
    expect(deliveries.map(({ headers }) => headers['x-first-death-reason'])).toEqual(['expired', 'rejected']);
  });
}
