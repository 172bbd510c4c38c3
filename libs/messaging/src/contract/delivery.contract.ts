import { until } from '@millrace/service/testing';
import type { Delivery } from '../message-bus';
import { messageTo, texts, type BusFixture } from './bus-fixture.contract';

/** Contract for deliveries to handlers and for verdicts. */
export function describeDelivery(given: BusFixture): void {
  test('delivers a message with all its properties', async () => {
    const exchange = `${given.prefix}exchange`;
    const queue = `${given.prefix}queue`;
    await given.provision({
      exchanges: [{ name: exchange, kind: 'direct' }],
      queues: [{ name: queue, kind: 'classic' }],
      bindings: [{ exchange, queue, routingKey: 'the.key' }],
    });
    const { deliveries } = await given.collect(queue);
    await given.bus.publish({
      exchange,
      routingKey: 'the.key',
      body: Buffer.from('hello'),
      persistent: true,
      mandatory: true,
      messageId: 'message 1',
      correlationId: 'run 1',
      replyTo: 'reply queue',
      type: 'final',
      expirationMilliseconds: 60_000,
      headers: { 'x-attempt': 2, 'x-status': 'succeeded', 'x-last': true },
    });
    await until(() => deliveries.length === 1, 'the delivery');
    expect(deliveries[0]).toEqual({
      exchange,
      routingKey: 'the.key',
      body: Buffer.from('hello'),
      messageId: 'message 1',
      correlationId: 'run 1',
      replyTo: 'reply queue',
      type: 'final',
      headers: { 'x-attempt': 2, 'x-status': 'succeeded', 'x-last': true },
      redelivered: false,
    });
  });

  test('leaves properties undefined that the sender omitted', async () => {
    const queue = await given.declareQueue();
    const { deliveries } = await given.collect(queue);
    await given.bus.publish(messageTo(queue));
    await until(() => deliveries.length === 1, 'the delivery');
    expect(deliveries[0]).toMatchObject({ headers: {}, redelivered: false });
    const { messageId, correlationId, replyTo, type } = deliveries[0]!;
    expect([messageId, correlationId, replyTo, type]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('delivers the messages of one sender in order', async () => {
    const queue = await given.declareQueue();
    const numbers = Array.from({ length: 100 }, (_, index) => String(index));
    await Promise.all(numbers.map((number) => given.bus.publish(messageTo(queue, number))));
    const { deliveries } = await given.collect(queue);
    await until(() => deliveries.length === 100, 'all deliveries');
    expect(texts(deliveries)).toEqual(numbers);
  });

  test('delivers an empty body, and a body of five mebibytes', async () => {
    const queue = await given.declareQueue();
    const { deliveries } = await given.collect(queue);
    const large = Buffer.alloc(5 * 1024 * 1024, 'x');
    await given.bus.publish(messageTo(queue, ''));
    await given.bus.publish({ ...messageTo(queue), body: large });
    await until(() => deliveries.length === 2, 'both deliveries');
    expect(deliveries[0]?.body.length).toBe(0);
    expect(deliveries[1]?.body.equals(large)).toBe(true);
  });

  test('does not redeliver done or discarded messages', async () => {
    const queue = await given.declareQueue();
    const { deliveries, consumer } = await given.collect(queue, ['done', 'discard', 'done']);
    for (const text of ['one', 'two', 'three']) await given.bus.publish(messageTo(queue, text));
    await until(() => deliveries.length === 3, 'all deliveries');
    await consumer.close();
    expect(await given.bus.queueStatus(queue)).toEqual({ messages: 0, consumers: 0 });
    expect(texts(deliveries)).toEqual(['one', 'two', 'three']);
  });

  test('redelivers messages to retry, marked as redelivered', async () => {
    const queue = await given.declareQueue();
    const { deliveries } = await given.collect(queue, ['retry', 'done']);
    await given.bus.publish(messageTo(queue));
    await until(() => deliveries.length === 2, 'the second delivery');
    expect(deliveries.map(({ redelivered }) => redelivered)).toEqual([false, true]);
  });

  test('treats a failed handler as retry', async () => {
    const queue = await given.declareQueue();
    let tries = 0;
    await given.bus.consume(queue, { prefetch: 1 }, async () => {
      tries += 1;
      if (tries === 1) throw new Error('on purpose');
      return 'done';
    });
    await given.bus.publish(messageTo(queue));
    await until(() => tries === 2, 'the second try');
    await until(async () => (await given.readyMessages(queue)) === 0, 'an empty queue');
  });

  test('survives a handler that throws instead of rejecting', async () => {
    const queue = await given.declareQueue();
    let tries = 0;
    await given.bus.consume(queue, { prefetch: 1 }, () => {
      tries += 1;
      if (tries === 1) throw new Error('on purpose');
      return Promise.resolve('done');
    });
    await given.bus.publish(messageTo(queue));
    await until(() => tries === 2, 'the second try');
    expect(given.bus.state).toBe('connected');
  });

  test('keeps no message for a consumer without acknowledgements', async () => {
    const queue = await given.declareQueue();
    const deliveries: Delivery[] = [];
    const consumer = await given.bus.consume(queue, { prefetch: 1, noAck: true }, async (delivery) => {
      deliveries.push(delivery);
      return 'retry';
    });
    for (const text of ['one', 'two', 'three']) await given.bus.publish(messageTo(queue, text));
    await until(() => deliveries.length === 3, 'all deliveries');
    await consumer.close();
    expect(await given.readyMessages(queue)).toBe(0);
    expect(texts(deliveries)).toEqual(['one', 'two', 'three']);
  });

  test('sends a copy to every queue of a fanout exchange', async () => {
    const exchange = `${given.prefix}control`;
    const names = ['a', 'b', 'c'].map((letter) => `${given.prefix}${letter}`);
    await given.provision({
      exchanges: [{ name: exchange, kind: 'fanout' }],
      queues: names.map((queue) => ({ name: queue, kind: 'classic', exclusive: true })),
      bindings: names.map((queue) => ({ exchange, queue, routingKey: '' })),
    });
    const consumers = await Promise.all(names.map((queue) => given.collect(queue)));
    const message = messageTo('whatever key', 'to all');
    await given.bus.publish({ ...message, exchange });
    await until(() => consumers.every(({ deliveries }) => deliveries.length === 1), 'three deliveries');
  });

  test('delivers replies over an exclusive queue', async () => {
    const [jobs, replies] = [await given.declareQueue(), await given.declareQueue({ exclusive: true })];
    const answers: Delivery[] = [];
    await given.bus.consume(replies, { prefetch: 1, noAck: true }, async (delivery) => {
      answers.push(delivery);
      return 'done';
    });
    await given.bus.consume(jobs, { prefetch: 10 }, async ({ body, replyTo, correlationId }) => {
      const reply = messageTo(replyTo!, `${body.toString()}!`, { correlationId: correlationId! });
      await given.bus.publish(reply);
      return 'done';
    });
    const calls = Array.from({ length: 50 }, (_, index) => `call ${index}`);
    const request = (call: string) => messageTo(jobs, call, { correlationId: call, replyTo: replies });
    await Promise.all(calls.map((call) => given.bus.publish(request(call))));
    await until(() => answers.length === 50, 'all answers');
    expect(texts(answers).sort()).toEqual(calls.map((call) => `${call}!`).sort());
    expect(answers.every(({ body, correlationId }) => body.toString() === `${correlationId}!`)).toBe(true);
  });
}
