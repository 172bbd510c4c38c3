import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { BusUnavailableError, UnconfirmedError } from '..';
import {
  BrokenBrokerFixture,
  isPublished,
  messageTo,
  methodFrame,
  RECOVERY_MILLISECONDS,
} from './broken-broker.fixture';

describe('the RabbitMQ message bus, when the broker refuses, closes or blocks', () => {
  const given = new BrokenBrokerFixture();
  beforeEach(() => given.begin());
  afterEach(() => given.end());

  test('loses no confirmed message while its connections are cut', async () => {
    const received = await given.collectBoth();
    const confirmed: string[] = [];
    const outcomes = { confirmed: 0, unconfirmed: 0, unavailable: 0 };
    let isPublishing = true;
    const publishing = Array.from({ length: 16 }, async (_unused, sender) => {
      for (let count = 0; isPublishing; count += 1) {
        const text = `${sender}:${count}`;
        try {
          await given.bus.publish(messageTo(given.work, text));
          confirmed.push(text);
          outcomes.confirmed += 1;
        } catch (error) {
          if (error instanceof UnconfirmedError) outcomes.unconfirmed += 1;
          else if (error instanceof BusUnavailableError) outcomes.unavailable += 1;
          else throw error;
          await pause(5);
        }
      }
    });
    for (let round = 0; round < 5; round += 1) {
      await pause(150);
      given.proxy.cut();
      await until(
        () => isPublished(given.bus, messageTo(given.work, 'probe')),
        'the next connection',
        RECOVERY_MILLISECONDS,
      );
    }
    isPublishing = false;
    await Promise.all(publishing);
    await given.expectRecovery(received);
    const arrived = new Set(received.work);
    expect(confirmed.filter((text) => !arrived.has(text))).toEqual([]);
    expect(outcomes.confirmed).toBeGreaterThan(100);
    expect(outcomes.unavailable).toBeGreaterThan(0);
  });

  test('recovers when the broker closes the publishing channel', async () => {
    const received = await given.collectBoth();
    const lost = { ...messageTo('x'), exchange: `${given.exchange}-missing` };
    await expect(given.bus.publish(lost)).rejects.toThrow('there is no exchange');
    await given.expectRecovery(received);
    expect(given.proxy.links).toBe(2);
  });

  test('declares a deleted queue again and resubscribes to it', async () => {
    const received = await given.collectBoth();
    await given.administrator.deleteQueue(given.work);
    await until(
      async () => (await given.bus.queueStatus(given.work))?.consumers === 1,
      'the queue to be there',
      RECOVERY_MILLISECONDS,
    );
    await given.expectRecovery(received);
    const cancelled = given.logger.fieldsOf('RabbitMQ cancelled a consumer; subscribing again');
    expect(cancelled).toEqual([{ queue: given.work }]);
  });

  test('declares a deleted queue without consumers again, and loses no message to it', async () => {
    await given.administrator.deleteQueue(given.work);
    await given.bus.publish(messageTo(given.work, 'after it was deleted'));
    const { texts } = await given.collect(given.work);
    await until(() => texts.includes('after it was deleted'), 'the message');
  });

  test('declares a deleted queue again that only the broker publishes to', async () => {
    const bus = await given.openBus({ topologyCheckMilliseconds: 50 });
    const queue = `${given.work}-dead`;
    await bus.provision({ exchanges: [], queues: [{ name: queue, kind: 'quorum' }], bindings: [] });
    await given.administrator.deleteQueue(queue);
    await until(async () => (await bus.queueStatus(queue)) !== null, 'the queue to exist again');
    expect(given.logger.fieldsOf('queue is missing on RabbitMQ; declaring it again')).toEqual([{ queue }]);
    given.proxy.cutAt(durableDeclaration(queue), () => undefined);
    await given.administrator.deleteQueue(queue);
    const failed = () => given.logger.fieldsOf('could not check for missing queues; will retry');
    await until(() => failed().length === 1, 'a check whose connection is lost');
    expect(failed()).toEqual([{ error: expect.any(BusUnavailableError) }]);
    await until(
      async () => (await bus.queueStatus(queue).catch(() => null)) !== null,
      'the next declaration',
    );
    await bus.close();
    await given.administrator.deleteQueue(queue);
  });

  test('reopens channels that the broker closes, and keeps the connections', async () => {
    const received = await given.collectBoth();
    // Acknowledges an unknown delivery on the first channel of each connection, so that the broker closes the channel.
    const tag = Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0]);
    given.proxy.inject(methodFrame(1, [60, 80], tag), { to: 'server' });
    const closed = () =>
      given.logger.lines.filter(({ message }) => message.startsWith('RabbitMQ closed a channel'));
    await until(() => closed().length === 2, 'both channels to be closed');
    await given.expectRecovery(received);
    expect(given.proxy.links).toBe(2);
    expect(given.logger.lines.filter(({ message }) => message.startsWith('lost the connection'))).toEqual([]);
    expect(await given.bus.queueStatus(given.work)).toEqual({ messages: 0, consumers: 1 });
  });

  test('refuses messages while the broker blocks publishers, and accepts them again afterwards', async () => {
    const received = await given.collectBoth();
    const states: string[] = [];
    given.bus.onStateChange((state) => states.push(state));
    given.proxy.inject(methodFrame(0, [10, 60], Buffer.from('\x06memory', 'latin1')), { to: 'client' });
    await until(() => given.bus.state === 'blocked', 'the blocked state');
    await expect(given.bus.publish(messageTo(given.work))).rejects.toThrow(BusUnavailableError);
    given.proxy.inject(methodFrame(0, [10, 61], Buffer.alloc(0)), { to: 'client' });
    await until(() => given.bus.state === 'connected', 'the broker to take messages');
    await given.expectRecovery(received);
    expect(states).toEqual(['blocked', 'connected']);
    expect(given.logger.fieldsOf('RabbitMQ blocks publishers')).toContainEqual({ reason: 'memory' });
    expect(given.logger.fieldsOf('RabbitMQ accepts messages again')).not.toEqual([]);
  });

  test('consumes again after a reconnect from a queue that another process declared', async () => {
    const queue = `${given.work}-foreign`;
    await given.administrator.assertQueue(queue);
    const { texts } = await given.collect(queue);
    given.proxy.cut();
    await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
    await until(
      () => isPublished(given.bus, messageTo(queue, 'after it')),
      'a publish',
      RECOVERY_MILLISECONDS,
    );
    await until(() => texts.includes('after it'), 'the message', RECOVERY_MILLISECONDS);
    await given.administrator.deleteQueue(queue);
  });

  test('is no longer blocked after a reconnect', async () => {
    const received = await given.collectBoth();
    given.proxy.inject(methodFrame(0, [10, 60], Buffer.from('\x06memory', 'latin1')), { to: 'client' });
    await until(() => given.bus.state === 'blocked', 'the blocked state');
    given.proxy.cut();
    await until(() => given.bus.state === 'connected', 'the new connection', RECOVERY_MILLISECONDS);
    await given.expectRecovery(received);
  });

  test('settles every publish while the broker does not answer, and survives a short silence', async () => {
    const bus = await given.openBus({ confirmTimeoutMilliseconds: 300, confirmWindow: 4 });
    given.proxy.set({ isStalled: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => bus.publish(messageTo(given.work, 'into the silence'))),
    );
    const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    expect(reasons.filter((code) => code === 'unconfirmed').length).toBeGreaterThanOrEqual(4);
    expect(reasons.every((code) => code === 'unconfirmed' || code === 'bus_unavailable')).toBe(true);
    given.proxy.set({ isStalled: false });
    await until(() => isPublished(bus, messageTo(given.work)), 'a publish that works', RECOVERY_MILLISECONDS);
    expect(given.logger.lines.filter(({ message }) => message.startsWith('lost the connection'))).toEqual([]);
    given.proxy.set({ isStalled: true });
    await bus.close();
    const unclean = given.logger.fieldsOf('the connection to RabbitMQ did not close cleanly');
    expect(unclean).toEqual(Array.from({ length: 2 }, () => ({ error: expect.any(BusUnavailableError) })));
  });

  test('reconnects when the broker confirms nothing for so long that memory would fill up', async () => {
    const bus = await given.openBus({ confirmTimeoutMilliseconds: 100, confirmWindow: 4 });
    given.proxy.set({ isStalled: true });
    const cut = () =>
      given.logger.lines.some(({ message }) => message.startsWith('RabbitMQ confirms nothing'));
    await until(async () => {
      await Promise.allSettled(Array.from({ length: 4 }, () => bus.publish(messageTo(given.work))));
      return cut();
    }, 'the bus to reconnect');
    given.proxy.set({ isStalled: false });
    await until(() => isPublished(bus, messageTo(given.work)), 'a publish that works', RECOVERY_MILLISECONDS);
    await bus.close();
  });

  test('keeps using the other queues when the properties of one were changed on the broker', async () => {
    const received = await given.collectBoth();
    const other = `${given.work}-other`;
    await given.bus.provision({ exchanges: [], queues: [{ name: other, kind: 'classic' }], bindings: [] });
    await given.administrator.deleteQueue(other);
    await given.administrator.assertQueue(other, {
      arguments: { 'x-max-length': 1, 'x-queue-type': 'classic' },
    });
    given.proxy.cut();
    await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
    await given.expectRecovery(received);
    const complaints = given.logger.fieldsOf('the topology on RabbitMQ differs from what was declared');
    expect(complaints).toEqual([
      { error: expect.objectContaining({ message: expect.stringContaining(other) }) },
    ]);
    await given.administrator.deleteQueue(other);
  });
});

/** Returns the bytes by which a client declares a durable queue, and does not only look for it. */
function durableDeclaration(queue: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, 50, 0, 10, 0, 0, queue.length]),
    Buffer.from(queue),
    Buffer.from([2]),
  ]);
}
