import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { QueueMissingError } from '../message-bus-errors';
import { messageTo, texts, type BusFixture } from './bus-fixture.contract';

/** Contract for consumers that share a queue and settle deliveries. */
export function describeSharing(given: BusFixture): void {
  test('delivers every message to exactly one of several consumers', async () => {
    const queue = await given.declareQueue();
    const first = await given.collect(queue, ['done'], 1);
    const second = await given.collect(queue, ['done'], 1);
    const numbers = Array.from({ length: 100 }, (_, index) => String(index));
    await Promise.all(numbers.map((number) => given.bus.publish(messageTo(queue, number))));
    const all = () => [...texts(first.deliveries), ...texts(second.deliveries)];
    await until(() => all().length >= 100, 'all deliveries');
    expect(all().sort()).toEqual(numbers.sort());
    expect(first.deliveries.length).toBeGreaterThan(0);
    expect(second.deliveries.length).toBeGreaterThan(0);
  });

  test('never has more unsettled deliveries than the prefetch allows', async () => {
    const queue = await given.declareQueue();
    let running = 0;
    let maximum = 0;
    let handled = 0;
    await given.bus.consume(queue, { prefetch: 3 }, async () => {
      running += 1;
      maximum = Math.max(maximum, running);
      await pause(5);
      running -= 1;
      handled += 1;
      return 'done';
    });
    await Promise.all(Array.from({ length: 30 }, () => given.bus.publish(messageTo(queue))));
    await until(() => handled === 30, 'all deliveries');
    expect(maximum).toBe(3);
  });

  test('settles each delivery separately, in any order', async () => {
    const queue = await given.declareQueue();
    const finish = new Map<string, () => void>();
    const consumer = await given.bus.consume(queue, { prefetch: 10 }, async ({ body }) => {
      await new Promise<void>((resolve) => finish.set(body.toString(), resolve));
      return 'done';
    });
    for (const text of ['one', 'two', 'three', 'four']) await given.bus.publish(messageTo(queue, text));
    await until(() => finish.size === 4, 'four deliveries');
    finish.get('four')?.();
    await pause(20);
    finish.get('two')?.();
    await pause(20);
    await consumer.close({ deadlineMilliseconds: 10 });
    await until(async () => (await given.readyMessages(queue)) === 2, 'the unsettled two to be back');
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 2, 'the other two');
    expect(texts(deliveries)).toEqual(['one', 'three']);
    expect(deliveries.every(({ redelivered }) => redelivered)).toBe(true);
  });

  test('does not consume from a missing queue', async () => {
    const missing = `${given.prefix}nowhere`;
    await expect(given.collect(missing)).rejects.toThrow(QueueMissingError);
    await expect(given.collect(missing)).rejects.toThrow(missing);
  });

  test('loses none of 10,000 messages published concurrently', async () => {
    const queue = await given.declareQueue();
    const seen = new Set<string>();
    let deliveries = 0;
    await given.bus.consume(queue, { prefetch: 200 }, async ({ body }) => {
      seen.add(body.toString());
      deliveries += 1;
      return 'done';
    });
    await Promise.all(
      Array.from({ length: 10_000 }, (_, index) => given.bus.publish(messageTo(queue, String(index)))),
    );
    await until(() => seen.size === 10_000, 'all deliveries');
    expect(deliveries).toBe(10_000);
    await until(async () => (await given.readyMessages(queue)) === 0, 'an empty queue');
  });
}
