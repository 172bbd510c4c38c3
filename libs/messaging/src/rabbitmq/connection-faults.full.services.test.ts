import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { BusUnavailableError } from '..';
import { BrokenBrokerFixture, messageTo, RECOVERY_MILLISECONDS } from './broken-broker.fixture';

/** Class and method, each as 16 bits, with which the payload of a frame begins. */
const QUEUE_DECLARE = Buffer.from([0, 50, 0, 10]);
const BASIC_CONSUME = Buffer.from([0, 60, 0, 20]);

describe('the RabbitMQ message bus, when its connections break', () => {
  const given = new BrokenBrokerFixture();
  beforeEach(() => given.begin());
  afterEach(() => given.end());

  test('recovers queues, bindings and consumers each time its connections are cut', async () => {
    const received = await given.collectBoth();
    const states: string[] = [];
    given.bus.onStateChange((state) => states.push(state));
    for (let round = 0; round < 3; round += 1) {
      given.proxy.cut();
      await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
      await given.expectRecovery(received);
    }
    expect(states).toEqual(Array.from({ length: 3 }, () => ['disconnected', 'connected']).flat());
    const node = `127.0.0.1:${given.proxy.port}`;
    for (const message of ['lost the connection to RabbitMQ', 'connected to RabbitMQ again'])
      expect(given.logger.fieldsOf(message)).toEqual(
        Array.from({ length: 6 }, () => expect.objectContaining({ node })),
      );
    expect(given.proxy.links).toBe(2);
    const { consumerCount } = await given.administrator.checkQueue(given.work);
    expect(consumerCount).toBe(1);
  });

  test('is not connected while the consuming connection was lost again before its consumers were restored', async () => {
    await given.collectBoth();
    const { proxy, bus } = given;
    proxy.cutAt(QUEUE_DECLARE, () => proxy.cutAt(BASIC_CONSUME, () => proxy.set({ isRefusing: true })));
    await expect(bus.queueStatus(given.work)).rejects.toThrow(BusUnavailableError);
    await until(() => proxy.counts.refused > 1, 'the second loss');
    expect(proxy.links).toBe(1);
    expect(bus.state).toBe('unreachable');
    proxy.set({ isRefusing: false });
    await until(() => bus.state === 'connected', 'the next connection', RECOVERY_MILLISECONDS);
    const unrestored = given.logger.fieldsOf('could not consume after a reconnect; will retry');
    expect(unrestored).toContainEqual({ error: expect.any(Error) });
  });

  test('keeps trying while the broker is unreachable, reports that, and recovers soon after', async () => {
    const received = await given.collectBoth();
    given.proxy.set({ isRefusing: true });
    given.proxy.cut();
    await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
    await expect(given.bus.publish(messageTo(given.work))).rejects.toThrow(BusUnavailableError);
    await expect(given.bus.queueStatus(given.work)).rejects.toThrow(BusUnavailableError);
    await expect(given.bus.provision(given.topology)).rejects.toThrow(BusUnavailableError);
    await pause(1_500);
    const lines = given.logger.fieldsOf('no connection to RabbitMQ yet; will retry');
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.length).toBeLessThanOrEqual(given.proxy.counts.refused);
    expect(lines[0]).toMatchObject({ attempt: 1, node: `127.0.0.1:${given.proxy.port}` });
    given.proxy.set({ isRefusing: false });
    await given.expectRecovery(received);
  });

  test('drops the verdict on a delivery whose connection was lost; the message is redelivered', async () => {
    const redelivered: boolean[] = [];
    let finish = (): void => undefined;
    await given.bus.consume(given.work, { prefetch: 10 }, async (delivery) => {
      redelivered.push(delivery.redelivered);
      if (redelivered.length === 1) await new Promise<void>((resolve) => (finish = resolve));
      return 'done';
    });
    await given.bus.publish(messageTo(given.work));
    await until(() => redelivered.length === 1, 'the first delivery');
    given.proxy.cut();
    await until(() => redelivered.length === 2, 'the second delivery', RECOVERY_MILLISECONDS);
    finish();
    await pause(50);
    expect(redelivered).toEqual([false, true]);
    // The connection that publishes may be back later than the one that consumes.
    await until(() => given.bus.state === 'connected', 'both connections', RECOVERY_MILLISECONDS);
    expect(await given.bus.queueStatus(given.work)).toEqual({ messages: 0, consumers: 1 });
  });

  test('does not wait for running handlers before it consumes again', async () => {
    let begun = 0;
    let ended = 0;
    await given.bus.consume(given.work, { prefetch: 10 }, async () => {
      begun += 1;
      if (begun === 1) await pause(2_000);
      ended += 1;
      return 'done';
    });
    await given.bus.publish(messageTo(given.work));
    await until(() => begun === 1, 'the slow handler to begin');
    given.proxy.cut();
    await until(() => begun === 2, 'the redelivery', RECOVERY_MILLISECONDS);
    await until(() => ended === 1, 'the second handler to end', 1_000);
  });

  test('detects by heartbeat that the broker stopped answering', async () => {
    const bus = await given.openBus({ heartbeatSeconds: 1 });
    given.proxy.set({ isStalled: true });
    await until(() => bus.state === 'disconnected', 'the loss to be seen', 8_000);
    given.proxy.set({ isStalled: false });
    await until(() => bus.state === 'connected', 'the new connection', RECOVERY_MILLISECONDS);
    await bus.close();
  });

  test('rejects with BusUnavailableError when the connection is lost during a request', async () => {
    given.proxy.set({ isStalled: true });
    const asked = given.bus.queueStatus(given.work);
    given.proxy.cut();
    await expect(asked).rejects.toThrow(BusUnavailableError);
    given.proxy.set({ isStalled: false });
    await until(() => given.bus.state === 'connected', 'the new connection', RECOVERY_MILLISECONDS);
  });

  test('switches to another address when its own does not answer, and logs no password', async () => {
    const address = new URL(given.addressOf());
    const others = ['amqp://ann:hunter22@127.0.0.1:1', 'amqp://ann:hunter22@127.0.0.1:2'];
    const bus = await given.openBus({ url: [...others, address.href].join(',') });
    const states: string[] = [];
    bus.onStateChange((state) => states.push(state));
    await bus.publish(messageTo(given.work));
    given.proxy.cut();
    await until(() => states.includes('connected'), 'the new connection', RECOVERY_MILLISECONDS);
    await bus.publish(messageTo(given.work));
    await bus.close();
    expect(JSON.stringify(given.logger.lines)).not.toContain('hunter22');
  });

  test('switches from a node that does not answer to another within seconds', async () => {
    const second = await given.openProxy();
    const urls = [given.addressOf(), given.addressOf(second)];
    const bus = await given.openBus({ url: urls.join(',') });
    // The order is random; the first bus has two links behind the other proxy.
    const frozen = second.links > 0 ? second : given.proxy;
    frozen.set({ isStalled: true });
    await until(() => bus.state === 'disconnected', 'the loss to be seen', 9_000);
    await until(() => bus.state === 'connected', 'the other node', RECOVERY_MILLISECONDS);
    await bus.publish(messageTo(given.work));
    const silent = given.logger.fieldsOf('RabbitMQ does not answer; connecting to another node');
    expect(silent).toContainEqual({ node: `127.0.0.1:${frozen.port}` });
    frozen.set({ isStalled: false });
    await bus.close();
    await second.close();
  });

  test('closes a consumer in time when the connection is lost', async () => {
    const { consumer } = await given.collect(given.work);
    given.proxy.set({ isRefusing: true });
    given.proxy.cut();
    await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
    await consumer.close({ deadlineMilliseconds: 100 });
    given.proxy.set({ isRefusing: false });
    await until(() => given.bus.state === 'connected', 'the new connection', RECOVERY_MILLISECONDS);
    expect(await given.bus.queueStatus(given.work)).toMatchObject({ consumers: 0 });
  });

  test('returns a delivery that arrives while the consumer closes at once, although a handler still runs', async () => {
    const { work, administrator, proxy, bus } = given;
    let begun = 0;
    let finish = (): void => undefined;
    const consumer = await bus.consume(work, { prefetch: 10 }, async () => {
      begun += 1;
      await new Promise<void>((resolve) => (finish = resolve));
      return 'done';
    });
    await bus.publish(messageTo(work));
    await until(() => begun === 1, 'the handler to begin');
    proxy.set({ isStalled: true });
    administrator.sendToQueue(work, Buffer.from('late'));
    const ready = async () => (await administrator.checkQueue(work)).messageCount;
    await until(async () => (await ready()) === 0, 'the broker to send the delivery');
    const closed = consumer.close({ deadlineMilliseconds: 10_000 });
    proxy.set({ isStalled: false });
    await until(async () => (await ready()) === 1, 'the return of the delivery', RECOVERY_MILLISECONDS);
    expect(begun).toBe(1);
    finish();
    await closed;
    expect(await ready()).toBe(1);
  });

  test('leaves no connection behind when it is closed, even while it is trying to connect', async () => {
    given.proxy.set({ isRefusing: true });
    given.proxy.cut();
    await until(() => given.bus.state === 'disconnected', 'the loss to be seen');
    await given.bus.close();
    given.proxy.set({ isRefusing: false });
    await pause(500);
    expect(given.proxy.links).toBe(0);
  });

  test('gives up the first connection after some tries, with the reason', async () => {
    given.proxy.set({ isRefusing: true });
    await expect(given.openBus({ connectTries: 2 })).rejects.toThrow(BusUnavailableError);
    given.proxy.set({ isRefusing: false });
    given.proxy.set({ isStalled: true });
    await expect(given.openBus({ connectTries: 1, connectTimeoutMilliseconds: 200 })).rejects.toThrow(
      'no connection to RabbitMQ after 1 tries',
    );
  });
});
