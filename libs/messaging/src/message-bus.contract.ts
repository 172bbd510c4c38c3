import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  BusUnavailableError,
  QueueMissingError,
  RefusedError,
  TopologyMismatchError,
  UnroutableError,
} from './message-bus-errors';
import type {
  Consumer,
  Delivery,
  MessageBus,
  OutgoingMessage,
  QueueDefinition,
  Topology,
  Verdict,
} from './message-bus';
import { until } from './until.fixture';

export interface BusUnderTest {
  readonly bus: MessageBus;
  /** Removes these from the broker. */
  readonly remove: (topology: Topology) => Promise<void>;
}

const EMPTY: Topology = { exchanges: [], queues: [], bindings: [] };

/** What every message bus promises. */
export function describeMessageBus(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`the ${name} message bus`, () => {
    let opened: BusUnderTest;
    let bus: MessageBus;
    let prefix: string;
    let declared: Topology[];

    beforeEach(async () => {
      opened = await open();
      bus = opened.bus;
      prefix = `test-${randomUUID()}.`;
      declared = [];
    });

    afterEach(async () => {
      for (const topology of declared) await opened.remove(topology);
      await bus.close();
    });

    async function provision(topology: Partial<Topology>): Promise<void> {
      declared.push({ ...EMPTY, ...topology });
      await bus.provision({ ...EMPTY, ...topology });
    }

    /** A queue of its own for the test, and its name. */
    async function aQueue(settings: Partial<QueueDefinition> = {}): Promise<string> {
      const queue = `${prefix}queue-${randomUUID().slice(0, 8)}`;
      await provision({ queues: [{ name: queue, kind: 'classic', ...settings }] });
      return queue;
    }

    /** To a queue, by its name. */
    function messageTo(queue: string, text = 'hello', more: Partial<OutgoingMessage> = {}): OutgoingMessage {
      const body = Buffer.from(text);
      return { exchange: '', routingKey: queue, body, persistent: false, mandatory: true, ...more };
    }

    /** Takes everything and keeps it; the verdicts come in turn, the last one for all the rest. */
    async function collect(queue: string, verdicts: Verdict[] = ['done'], prefetch = 10) {
      const deliveries: Delivery[] = [];
      const consumer = await bus.consume(queue, { prefetch }, async (delivery) => {
        deliveries.push(delivery);
        return verdicts[Math.min(deliveries.length, verdicts.length) - 1] ?? 'done';
      });
      return { deliveries, consumer };
    }

    const texts = (deliveries: readonly Delivery[]) => deliveries.map(({ body }) => body.toString());
    const waiting = async (queue: string) => (await bus.queueStatus(queue))?.messages;

    test('is connected when it is open', () => {
      expect(bus.state).toBe('connected');
    });

    test('delivers a message with all its properties', async () => {
      const exchange = `${prefix}exchange`;
      const queue = `${prefix}queue`;
      await provision({
        exchanges: [{ name: exchange, kind: 'direct' }],
        queues: [{ name: queue, kind: 'classic' }],
        bindings: [{ exchange, queue, routingKey: 'the.key' }],
      });
      const { deliveries } = await collect(queue);
      await bus.publish({
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
      await until('the delivery', () => deliveries.length === 1);
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

    test('leaves properties undefined that the sender left out', async () => {
      const queue = await aQueue();
      const { deliveries } = await collect(queue);
      await bus.publish(messageTo(queue));
      await until('the delivery', () => deliveries.length === 1);
      expect(deliveries[0]).toMatchObject({ headers: {}, redelivered: false });
      const { messageId, correlationId, replyTo, type } = deliveries[0]!;
      expect([messageId, correlationId, replyTo, type]).toEqual([undefined, undefined, undefined, undefined]);
    });

    test('delivers the messages of one sender in their order', async () => {
      const queue = await aQueue();
      const numbers = Array.from({ length: 100 }, (_, index) => String(index));
      await Promise.all(numbers.map((number) => bus.publish(messageTo(queue, number))));
      const { deliveries } = await collect(queue);
      await until('all deliveries', () => deliveries.length === 100);
      expect(texts(deliveries)).toEqual(numbers);
    });

    test('carries an empty body, and one of five mebibytes', async () => {
      const queue = await aQueue();
      const { deliveries } = await collect(queue);
      const large = Buffer.alloc(5 * 1024 * 1024, 'x');
      await bus.publish(messageTo(queue, ''));
      await bus.publish({ ...messageTo(queue), body: large });
      await until('both deliveries', () => deliveries.length === 2);
      expect(deliveries[0]?.body.length).toBe(0);
      expect(deliveries[1]?.body.equals(large)).toBe(true);
    });

    test('refuses a body of more than sixteen mebibytes and goes on working', async () => {
      const queue = await aQueue();
      const tooLarge = Buffer.alloc(16 * 1024 * 1024 + 1);
      await expect(bus.publish({ ...messageTo(queue), body: tooLarge })).rejects.toThrow(RefusedError);
      await bus.publish(messageTo(queue));
      expect(await waiting(queue)).toBe(1);
    });

    test('does not deliver again what is done or discarded', async () => {
      const queue = await aQueue();
      const { deliveries, consumer } = await collect(queue, ['done', 'discard', 'done']);
      for (const text of ['one', 'two', 'three']) await bus.publish(messageTo(queue, text));
      await until('all deliveries', () => deliveries.length === 3);
      await consumer.close();
      expect(await bus.queueStatus(queue)).toEqual({ messages: 0, consumers: 0 });
      expect(texts(deliveries)).toEqual(['one', 'two', 'three']);
    });

    test('delivers again, marked as such, what is to be tried again', async () => {
      const queue = await aQueue();
      const { deliveries } = await collect(queue, ['retry', 'done']);
      await bus.publish(messageTo(queue));
      await until('the second delivery', () => deliveries.length === 2);
      expect(deliveries.map(({ redelivered }) => redelivered)).toEqual([false, true]);
    });

    test('takes a handler that fails for a wish to try again', async () => {
      const queue = await aQueue();
      let tries = 0;
      await bus.consume(queue, { prefetch: 1 }, async () => {
        tries += 1;
        if (tries === 1) throw new Error('on purpose');
        return 'done';
      });
      await bus.publish(messageTo(queue));
      await until('the second try', () => tries === 2);
      await until('an empty queue', async () => (await waiting(queue)) === 0);
    });

    test('survives a handler that throws instead of rejecting', async () => {
      const queue = await aQueue();
      let tries = 0;
      await bus.consume(queue, { prefetch: 1 }, () => {
        tries += 1;
        if (tries === 1) throw new Error('on purpose');
        return Promise.resolve('done');
      });
      await bus.publish(messageTo(queue));
      await until('the second try', () => tries === 2);
      expect(bus.state).toBe('connected');
    });

    test('gives every message to exactly one of several consumers', async () => {
      const queue = await aQueue();
      const first = await collect(queue, ['done'], 1);
      const second = await collect(queue, ['done'], 1);
      const numbers = Array.from({ length: 100 }, (_, index) => String(index));
      await Promise.all(numbers.map((number) => bus.publish(messageTo(queue, number))));
      const all = () => [...texts(first.deliveries), ...texts(second.deliveries)];
      await until('all deliveries', () => all().length >= 100);
      expect(all().sort()).toEqual(numbers.sort());
      expect(first.deliveries.length).toBeGreaterThan(0);
      expect(second.deliveries.length).toBeGreaterThan(0);
    });

    test('never has more unsettled deliveries out than the prefetch says', async () => {
      const queue = await aQueue();
      let atWork = 0;
      let most = 0;
      let handled = 0;
      await bus.consume(queue, { prefetch: 3 }, async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await pause(5);
        atWork -= 1;
        handled += 1;
        return 'done';
      });
      await Promise.all(Array.from({ length: 30 }, () => bus.publish(messageTo(queue))));
      await until('all deliveries', () => handled === 30);
      expect(most).toBe(3);
    });

    test('settles each delivery by itself, whatever the order', async () => {
      const queue = await aQueue();
      const finish = new Map<string, () => void>();
      const consumer = await bus.consume(queue, { prefetch: 10 }, async ({ body }) => {
        await new Promise<void>((resolve) => finish.set(body.toString(), resolve));
        return 'done';
      });
      for (const text of ['one', 'two', 'three', 'four']) await bus.publish(messageTo(queue, text));
      await until('four deliveries', () => finish.size === 4);
      finish.get('four')?.();
      await pause(20);
      finish.get('two')?.();
      await pause(20);
      await consumer.close({ deadlineMilliseconds: 10 });
      await until('the unsettled two to be back', async () => (await waiting(queue)) === 2);
      const { deliveries } = await collect(queue);
      await until('the other two', () => deliveries.length === 2);
      expect(texts(deliveries)).toEqual(['one', 'three']);
      expect(deliveries.every(({ redelivered }) => redelivered)).toBe(true);
    });

    test('keeps nothing for a consumer that settles nothing', async () => {
      const queue = await aQueue();
      const deliveries: Delivery[] = [];
      const consumer = await bus.consume(queue, { prefetch: 1, noAck: true }, async (delivery) => {
        deliveries.push(delivery);
        return 'retry';
      });
      for (const text of ['one', 'two', 'three']) await bus.publish(messageTo(queue, text));
      await until('all deliveries', () => deliveries.length === 3);
      await consumer.close();
      expect(await waiting(queue)).toBe(0);
      expect(texts(deliveries)).toEqual(['one', 'two', 'three']);
    });

    test('sends a copy to every queue of a fanout exchange', async () => {
      const exchange = `${prefix}control`;
      const names = ['a', 'b', 'c'].map((letter) => `${prefix}${letter}`);
      await provision({
        exchanges: [{ name: exchange, kind: 'fanout' }],
        queues: names.map((queue) => ({ name: queue, kind: 'classic', exclusive: true })),
        bindings: names.map((queue) => ({ exchange, queue, routingKey: '' })),
      });
      const consumers = await Promise.all(names.map((queue) => collect(queue)));
      const message = messageTo('whatever key', 'to all');
      await bus.publish({ ...message, exchange });
      await until('three deliveries', () => consumers.every(({ deliveries }) => deliveries.length === 1));
    });

    test('tells the sender when no queue takes a mandatory message', async () => {
      const exchange = `${prefix}exchange`;
      await provision({ exchanges: [{ name: exchange, kind: 'direct' }] });
      await expect(bus.publish(messageTo(`${prefix}nowhere`))).rejects.toThrow(UnroutableError);
      const unbound = { ...messageTo('unbound'), exchange };
      await expect(bus.publish(unbound)).rejects.toThrow(UnroutableError);
      await expect(bus.publish({ ...unbound, mandatory: false })).resolves.toBeUndefined();
    });

    test('tells which of many messages had no queue', async () => {
      const queue = await aQueue();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 100 }, (_, index) =>
          bus.publish(
            messageTo(index % 3 === 0 ? `${prefix}nowhere` : queue, 'x', { messageId: 'the same' }),
          ),
        ),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        outcomes.map((_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
      );
    });

    test('tells the sender when there is no such exchange, and publishes on', async () => {
      const queue = await aQueue();
      const lost = { ...messageTo(queue), exchange: `${prefix}no-exchange`, mandatory: false };
      await expect(bus.publish(lost)).rejects.toThrow(UnroutableError);
      await until('a publish that works', () =>
        bus.publish(messageTo(queue)).then(
          () => true,
          () => false,
        ),
      );
      expect(await waiting(queue)).toBe(1);
    });

    test('refuses messages to a full queue, and takes them again when there is room', async () => {
      const queue = await aQueue({ maximumLength: 3, overflow: 'reject-publish' });
      for (const text of ['one', 'two', 'three']) await bus.publish(messageTo(queue, text));
      await expect(bus.publish(messageTo(queue, 'four'))).rejects.toThrow(RefusedError);
      const { deliveries } = await collect(queue);
      await until('three deliveries', () => deliveries.length === 3);
      await bus.publish(messageTo(queue, 'five'));
      await until('the fifth', () => deliveries.length === 4);
      expect(texts(deliveries)).toEqual(['one', 'two', 'three', 'five']);
    });

    test('drops the oldest message of a full queue that says so', async () => {
      const queue = await aQueue({ maximumLength: 3, overflow: 'drop-head' });
      for (const text of ['one', 'two', 'three', 'four']) await bus.publish(messageTo(queue, text));
      const { deliveries } = await collect(queue);
      await until('three deliveries', () => deliveries.length === 3);
      expect(texts(deliveries)).toEqual(['two', 'three', 'four']);
    });

    test('drops what waited longer than the message or the queue allows', async () => {
      const own = await aQueue();
      const ofTheQueue = await aQueue({ messageTtlMilliseconds: 50 });
      await bus.publish(messageTo(own, 'late', { expirationMilliseconds: 50 }));
      await bus.publish(messageTo(ofTheQueue, 'late'));
      await until('two empty queues', async () => {
        return (await waiting(own)) === 0 && (await waiting(ofTheQueue)) === 0;
      });
      const { deliveries } = await collect(own);
      await bus.publish(messageTo(own, 'in time', { expirationMilliseconds: 60_000 }));
      await until('the delivery', () => deliveries.length === 1);
      expect(texts(deliveries)).toEqual(['in time']);
    });

    /** A quorum queue whose dead letters arrive in another, with the message's own routing key. */
    async function aQueueWithDeadLetters(settings: Partial<QueueDefinition> = {}) {
      const exchange = `${prefix}dead`;
      const [queue, dead] = [`${prefix}work`, `${prefix}work.dead`];
      await provision({
        exchanges: [{ name: exchange, kind: 'direct' }],
        queues: [
          { name: dead, kind: 'quorum' },
          {
            name: queue,
            kind: 'quorum',
            deadLetterExchange: exchange,
            deadLetterRoutingKey: 'dead',
            deadLetterStrategy: 'at-least-once',
            overflow: 'reject-publish',
            ...settings,
          },
        ],
        bindings: [{ exchange, queue: dead, routingKey: 'dead' }],
      });
      return { queue, dead };
    }

    test('gives up a message after its delivery limit and tells why', async () => {
      const { queue, dead } = await aQueueWithDeadLetters({ deliveryLimit: 2 });
      const { deliveries } = await collect(queue, ['retry']);
      const graves = await collect(dead);
      await bus.publish(
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
      const { queue, dead } = await aQueueWithDeadLetters();
      const { deliveries } = await collect(dead);
      await bus.publish(messageTo(queue, 'late', { expirationMilliseconds: 30 }));
      await until('the expired one', () => deliveries.length === 1);
      await collect(queue, ['discard']);
      await bus.publish(messageTo(queue, 'unwanted'));
      await until('the discarded one', () => deliveries.length === 2);
      expect(deliveries.map(({ headers }) => headers['x-first-death-reason'])).toEqual([
        'expired',
        'rejected',
      ]);
    });

    test('answers over an exclusive queue', async () => {
      const [jobs, replies] = [await aQueue(), await aQueue({ exclusive: true })];
      const answers: Delivery[] = [];
      await bus.consume(replies, { prefetch: 1, noAck: true }, async (delivery) => {
        answers.push(delivery);
        return 'done';
      });
      await bus.consume(jobs, { prefetch: 10 }, async ({ body, replyTo, correlationId }) => {
        const reply = messageTo(replyTo!, `${body.toString()}!`, { correlationId: correlationId! });
        await bus.publish(reply);
        return 'done';
      });
      const calls = Array.from({ length: 50 }, (_, index) => `call ${index}`);
      const request = (call: string) => messageTo(jobs, call, { correlationId: call, replyTo: replies });
      await Promise.all(calls.map((call) => bus.publish(request(call))));
      await until('all answers', () => answers.length === 50);
      expect(texts(answers).sort()).toEqual(calls.map((call) => `${call}!`).sort());
      expect(answers.every(({ body, correlationId }) => body.toString() === `${correlationId}!`)).toBe(true);
    });

    test('knows how many messages wait and who consumes, and that a queue is missing', async () => {
      const queue = await aQueue();
      expect(await bus.queueStatus(`${prefix}nowhere`)).toBeNull();
      for (const text of ['one', 'two', 'three']) await bus.publish(messageTo(queue, text));
      expect(await bus.queueStatus(queue)).toEqual({ messages: 3, consumers: 0 });
      const unsettled = new Promise<Verdict>((resolve) => setTimeout(() => resolve('done'), 200));
      await bus.consume(queue, { prefetch: 2 }, () => unsettled);
      await until('two to be given out', async () => (await waiting(queue)) === 1);
      expect(await bus.queueStatus(queue)).toEqual({ messages: 1, consumers: 1 });
    });

    test('provisions the same topology twice, and names the queue when it differs', async () => {
      const queue = await aQueue({ maximumLength: 10 });
      await bus.provision({ ...EMPTY, queues: [{ name: queue, kind: 'classic', maximumLength: 10 }] });
      const different: Topology = { ...EMPTY, queues: [{ name: queue, kind: 'classic', maximumLength: 11 }] };
      await expect(bus.provision(different)).rejects.toThrow(TopologyMismatchError);
      await expect(bus.provision(different)).rejects.toThrow(queue);
      await bus.publish(messageTo(queue));
      expect(bus.state).toBe('connected');
    });

    test('does not consume from a queue that is missing', async () => {
      const missing = `${prefix}nowhere`;
      await expect(collect(missing)).rejects.toThrow(QueueMissingError);
      await expect(collect(missing)).rejects.toThrow(missing);
    });

    test('closes a consumer when its handlers have ended', async () => {
      const queue = await aQueue();
      const order: string[] = [];
      const consumer = await bus.consume(queue, { prefetch: 1 }, async () => {
        order.push('begun');
        await pause(50);
        order.push('ended');
        return 'done';
      });
      await bus.publish(messageTo(queue));
      await bus.publish(messageTo(queue));
      await until('the handler to begin', () => order.length === 1);
      await consumer.close();
      order.push('closed');
      await pause(30);
      expect(order).toEqual(['begun', 'ended', 'closed']);
      expect(await bus.queueStatus(queue)).toEqual({ messages: 1, consumers: 0 });
      await consumer.close();
    });

    test('gives back what a handler does not finish before the deadline', async () => {
      const queue = await aQueue();
      let begun = false;
      const consumer: Consumer = await bus.consume(queue, { prefetch: 1 }, async () => {
        begun = true;
        await pause(200);
        return 'done';
      });
      await bus.publish(messageTo(queue));
      await until('the handler to begin', () => begun);
      await consumer.close({ deadlineMilliseconds: 20 });
      const { deliveries } = await collect(queue);
      await until('the redelivery', () => deliveries.length === 1);
      expect(deliveries[0]?.redelivered).toBe(true);
      await pause(250);
      await until('an empty queue', async () => (await waiting(queue)) === 0);
      expect(deliveries).toHaveLength(1);
    });

    test('lets handlers in hand end, and publish, when it closes', async () => {
      const [queue, answers] = [await aQueue(), await aQueue()];
      let begun = false;
      let published: Promise<void> | undefined;
      await bus.consume(queue, { prefetch: 1 }, async () => {
        begun = true;
        await pause(50);
        await (published = bus.publish(messageTo(answers)));
        return 'done';
      });
      await bus.publish(messageTo(queue));
      await until('the handler to begin', () => begun);
      await bus.close();
      await expect(published).resolves.toBeUndefined();
    });

    test('is closed after close, however often', async () => {
      const states: string[] = [];
      const stop = bus.onStateChange((state) => states.push(state));
      const silent: string[] = [];
      bus.onStateChange((state) => silent.push(state))();
      await Promise.all([bus.close(), bus.close()]);
      await bus.close();
      stop();
      expect(bus.state).toBe('closed');
      expect(states.at(-1)).toBe('closed');
      expect(silent).toEqual([]);
      await expect(bus.publish(messageTo('x'))).rejects.toThrow(BusUnavailableError);
      await expect(collect('x')).rejects.toThrow(BusUnavailableError);
      await expect(bus.queueStatus('x')).rejects.toThrow(BusUnavailableError);
      await expect(bus.provision(EMPTY_BUT_ONE)).rejects.toThrow(BusUnavailableError);
    });

    test('loses none of 10,000 messages published at once', async () => {
      const queue = await aQueue();
      const seen = new Set<string>();
      let deliveries = 0;
      await bus.consume(queue, { prefetch: 200 }, async ({ body }) => {
        seen.add(body.toString());
        deliveries += 1;
        return 'done';
      });
      await Promise.all(
        Array.from({ length: 10_000 }, (_, index) => bus.publish(messageTo(queue, String(index)))),
      );
      await until('all deliveries', () => seen.size === 10_000);
      expect(deliveries).toBe(10_000);
      await until('an empty queue', async () => (await waiting(queue)) === 0);
    });
  });
}

const EMPTY_BUT_ONE: Topology = { ...EMPTY, exchanges: [{ name: 'test-never-declared', kind: 'direct' }] };
