import { setTimeout as pause } from 'node:timers/promises';
import { BusUnavailableError, UnconfirmedError } from '..';
import { until } from '../until.fixture';
import {
  GivenBrokenBroker,
  isPublished,
  messageTo,
  methodFrame,
  RECOVERY_MILLISECONDS,
} from './given-broken-broker.fixture';

describe('the RabbitMQ message bus, when the broker refuses, closes or blocks', () => {
  const given = new GivenBrokenBroker();
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
        'the next connection',
        () => isPublished(given.bus, messageTo(given.work, 'probe')),
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

  test('goes on when the broker closes the publishing channel', async () => {
    const received = await given.collectBoth();
    const lost = { ...messageTo('x'), exchange: `${given.exchange}-missing` };
    await expect(given.bus.publish(lost)).rejects.toThrow('there is no exchange');
    await given.expectRecovery(received);
    expect(given.proxy.linkCount).toBe(2);
  });

  test('subscribes again, and declares the queue again, when its queue is deleted', async () => {
    const received = await given.collectBoth();
    await given.administrator.deleteQueue(given.work);
    await until(
      'the queue to be there',
      async () => (await given.bus.queueStatus(given.work))?.consumers === 1,
      RECOVERY_MILLISECONDS,
    );
    await given.expectRecovery(received);
  });

  test('declares a queue again that was deleted and has no consumer, and loses no message to it', async () => {
    await given.administrator.deleteQueue(given.work);
    await given.bus.publish(messageTo(given.work, 'after it was deleted'));
    const { texts } = await given.collect(given.work);
    await until('the message', () => texts.includes('after it was deleted'));
  });

  test('declares a queue again that only the broker writes to', async () => {
    const bus = await given.openBus({ keepMilliseconds: 50 });
    const queue = `${given.work}-dead`;
    await bus.provision({ exchanges: [], queues: [{ name: queue, kind: 'quorum' }], bindings: [] });
    await given.administrator.deleteQueue(queue);
    await until('the queue to be there again', async () => (await bus.queueStatus(queue)) !== null);
    await bus.close();
    await given.administrator.deleteQueue(queue);
  });

  test('opens channels again that the broker closes, and leaves the connections as they are', async () => {
    const received = await given.collectBoth();
    // An acknowledgement of what was never delivered, on the first channel of each connection: the broker closes it.
    const tag = Buffer.from([0, 0, 0, 0, 0, 1, 0, 0, 0]);
    given.proxy.inject(methodFrame(1, [60, 80], tag), { to: 'server' });
    const closed = () =>
      given.logger.lines.filter(({ message }) => message.startsWith('RabbitMQ closed a channel'));
    await until('both channels to be closed', () => closed().length === 2);
    await given.expectRecovery(received);
    expect(given.proxy.linkCount).toBe(2);
    expect(given.logger.lines.filter(({ message }) => message.startsWith('lost the connection'))).toEqual([]);
    expect(await given.bus.queueStatus(given.work)).toEqual({ messages: 0, consumers: 1 });
  });

  test('refuses messages at once while the broker blocks publishers, and takes them again afterwards', async () => {
    const received = await given.collectBoth();
    const states: string[] = [];
    given.bus.onStateChange((state) => states.push(state));
    given.proxy.inject(methodFrame(0, [10, 60], Buffer.from('\x06memory', 'latin1')), { to: 'client' });
    await until('the breaker', () => given.bus.state === 'blocked');
    const before = performance.now();
    await expect(given.bus.publish(messageTo(given.work))).rejects.toThrow(BusUnavailableError);
    expect(performance.now() - before).toBeLessThan(50);
    given.proxy.inject(methodFrame(0, [10, 61], Buffer.alloc(0)), { to: 'client' });
    await until('the broker to take messages', () => given.bus.state === 'connected');
    await given.expectRecovery(received);
    expect(states).toEqual(['blocked', 'connected']);
  });

  test('is not blocked any more when it has a new connection', async () => {
    const received = await given.collectBoth();
    given.proxy.inject(methodFrame(0, [10, 60], Buffer.from('\x06memory', 'latin1')), { to: 'client' });
    await until('the breaker', () => given.bus.state === 'blocked');
    given.proxy.cut();
    await until('the new connection', () => given.bus.state === 'connected', RECOVERY_MILLISECONDS);
    await given.expectRecovery(received);
  });

  test('answers every publish in time when the broker says nothing, and survives a short silence', async () => {
    const bus = await given.openBus({ confirmTimeoutMilliseconds: 300, confirmWindow: 4 });
    given.proxy.stall(true);
    const before = performance.now();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => bus.publish(messageTo(given.work, 'into the silence'))),
    );
    expect(performance.now() - before).toBeLessThan(1_500);
    const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    expect(reasons.filter((code) => code === 'unconfirmed').length).toBeGreaterThanOrEqual(4);
    expect(reasons.every((code) => code === 'unconfirmed' || code === 'bus_unavailable')).toBe(true);
    given.proxy.stall(false);
    await until('a publish that works', () => isPublished(bus, messageTo(given.work)), RECOVERY_MILLISECONDS);
    expect(given.logger.lines.filter(({ message }) => message.startsWith('lost the connection'))).toEqual([]);
    await bus.close();
  });

  test('connects anew when the broker confirms nothing for so long that memory would fill', async () => {
    const bus = await given.openBus({ confirmTimeoutMilliseconds: 100, confirmWindow: 4 });
    given.proxy.stall(true);
    const cut = () =>
      given.logger.lines.some(({ message }) => message.startsWith('RabbitMQ confirms nothing'));
    await until('the bus to give up', async () => {
      await Promise.allSettled(Array.from({ length: 4 }, () => bus.publish(messageTo(given.work))));
      return cut();
    });
    given.proxy.stall(false);
    await until('a publish that works', () => isPublished(bus, messageTo(given.work)), RECOVERY_MILLISECONDS);
    await bus.close();
  });

  test('keeps the other queues going when one of them has changed behind its back', async () => {
    const received = await given.collectBoth();
    const other = `${given.work}-other`;
    await given.bus.provision({ exchanges: [], queues: [{ name: other, kind: 'classic' }], bindings: [] });
    await given.administrator.deleteQueue(other);
    await given.administrator.assertQueue(other, {
      arguments: { 'x-max-length': 1, 'x-queue-type': 'classic' },
    });
    given.proxy.cut();
    await until('the loss to be seen', () => given.bus.state === 'disconnected');
    await given.expectRecovery(received);
    const complaint = given.logger.lines.find(({ level }) => level === 'error');
    expect(
      JSON.stringify({ ...complaint?.fields, text: String(Object.values(complaint!.fields)[0]) }),
    ).toContain(other);
    await given.administrator.deleteQueue(other);
  });
});
