import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { BusUnavailableError, TopologyMismatchError } from '../message-bus-errors';
import type { Consumer, Verdict } from '../message-bus';
import { messageTo, topology, type BusFixture } from './bus-fixture.contract';

/** Contract for opening, queue status, provisioning and closing. */
export function describeLifecycle(given: BusFixture): void {
  test('is connected after opening', () => {
    expect(given.bus.state).toBe('connected');
  });

  test('reports the numbers of ready messages and consumers, and missing queues', async () => {
    const queue = await given.declareQueue();
    expect(await given.bus.queueStatus(`${given.prefix}nowhere`)).toBeNull();
    for (const text of ['one', 'two', 'three']) await given.bus.publish(messageTo(queue, text));
    expect(await given.bus.queueStatus(queue)).toEqual({ messages: 3, consumers: 0 });
    const unsettled = new Promise<Verdict>((resolve) => setTimeout(() => resolve('done'), 200));
    await given.bus.consume(queue, { prefetch: 2 }, () => unsettled);
    await until(async () => (await given.readyMessages(queue)) === 1, 'two deliveries');
    expect(await given.bus.queueStatus(queue)).toEqual({ messages: 1, consumers: 1 });
  });

  test('provisions the same topology twice, and names the queue when it differs', async () => {
    const queue = await given.declareQueue({ maximumLength: 10 });
    await given.bus.provision(topology({ queues: [{ name: queue, kind: 'classic', maximumLength: 10 }] }));
    const different = topology({ queues: [{ name: queue, kind: 'classic', maximumLength: 11 }] });
    await expect(given.bus.provision(different)).rejects.toThrow(TopologyMismatchError);
    await expect(given.bus.provision(different)).rejects.toThrow(queue);
    await given.bus.publish(messageTo(queue));
    expect(given.bus.state).toBe('connected');
  });

  test('closes a consumer after its handlers have ended', async () => {
    const queue = await given.declareQueue();
    const order: string[] = [];
    const consumer = await given.bus.consume(queue, { prefetch: 1 }, async () => {
      order.push('begun');
      await pause(50);
      order.push('ended');
      return 'done';
    });
    await given.bus.publish(messageTo(queue));
    await given.bus.publish(messageTo(queue));
    await until(() => order.length === 1, 'the handler to begin');
    await consumer.close();
    order.push('closed');
    await pause(30);
    expect(order).toEqual(['begun', 'ended', 'closed']);
    expect(await given.bus.queueStatus(queue)).toEqual({ messages: 1, consumers: 0 });
    await consumer.close();
  });

  test('settles all deliveries whose handlers end together', async () => {
    const queue = await given.declareQueue();
    for (let count = 0; count < 5; count += 1) await given.bus.publish(messageTo(queue));
    let begun = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const consumer = await given.bus.consume(queue, { prefetch: 10 }, async () => {
      begun += 1;
      await ended;
      return 'done';
    });
    await until(() => begun === 5, 'the handlers to begin');
    end();
    // Returns what is not settled.
    await consumer.close();
    expect(await given.bus.queueStatus(queue)).toEqual({ messages: 0, consumers: 0 });
  });

  test('returns deliveries to the queue whose handlers exceed the deadline', async () => {
    const queue = await given.declareQueue();
    let begun = false;
    const consumer: Consumer = await given.bus.consume(queue, { prefetch: 1 }, async () => {
      begun = true;
      await pause(200);
      return 'done';
    });
    await given.bus.publish(messageTo(queue));
    await until(() => begun, 'the handler to begin');
    await consumer.close({ deadlineMilliseconds: 20 });
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 1, 'the redelivery');
    expect(deliveries[0]?.redelivered).toBe(true);
    await pause(250);
    await until(async () => (await given.readyMessages(queue)) === 0, 'an empty queue');
    expect(deliveries).toHaveLength(1);
  });

  test('lets running handlers finish and publish while closing', async () => {
    const [queue, answers] = [await given.declareQueue(), await given.declareQueue()];
    let begun = false;
    let published: Promise<void> | undefined;
    await given.bus.consume(queue, { prefetch: 1 }, async () => {
      begun = true;
      await pause(50);
      await (published = given.bus.publish(messageTo(answers)));
      return 'done';
    });
    await given.bus.publish(messageTo(queue));
    await until(() => begun, 'the handler to begin');
    await given.bus.close();
    await expect(published).resolves.toBeUndefined();
  });

  test('close is idempotent', async () => {
    const states: string[] = [];
    const stop = given.bus.onStateChange((state) => states.push(state));
    const unexpected: string[] = [];
    given.bus.onStateChange((state) => unexpected.push(state))();
    await Promise.all([given.bus.close(), given.bus.close()]);
    await given.bus.close();
    stop();
    expect(given.bus.state).toBe('closed');
    expect(states.at(-1)).toBe('closed');
    expect(unexpected).toEqual([]);
    await expect(given.bus.publish(messageTo('x'))).rejects.toThrow(BusUnavailableError);
    await expect(given.collect('x')).rejects.toThrow(BusUnavailableError);
    await expect(given.bus.queueStatus('x')).rejects.toThrow(BusUnavailableError);
    await expect(
      given.bus.provision(topology({ exchanges: [{ name: 'test-never-declared', kind: 'direct' }] })),
    ).rejects.toThrow(BusUnavailableError);
  });
}
