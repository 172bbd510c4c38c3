import { setTimeout as pause } from 'node:timers/promises';
import { recordingLogger, until } from '@millrace/service/testing';
import { InProcessBus, RefusedError, type OutgoingMessage } from '..';
import { describeMessageBus } from '../message-bus.contract';

describeMessageBus('in-process', async () => ({
  bus: new InProcessBus({ logger: recordingLogger() }),
  remove: async () => undefined,
}));

describe('the in-process message bus, in addition to the contract', () => {
  const message: OutgoingMessage = {
    exchange: '',
    routingKey: 'queue',
    body: Buffer.alloc(1000),
    persistent: false,
    mandatory: true,
  };
  const queue = { name: 'queue', kind: 'classic' } as const;

  test('refuses messages at its memory limit, and accepts them again when some are settled', async () => {
    const bus = new InProcessBus({ logger: recordingLogger(), maximumBytes: 3000 });
    await bus.provision({ exchanges: [], queues: [queue], bindings: [] });
    for (let count = 0; count < 3; count += 1) await bus.publish(message);
    await expect(bus.publish(message)).rejects.toThrow(RefusedError);
    await bus.consume('queue', { prefetch: 1 }, async () => 'done');
    await until(async () => (await bus.queueStatus('queue'))?.messages === 0, 'an empty queue');
    await bus.publish(message);
    await bus.close();
  });

  test('does not starve timers and sockets while a message is retried forever', async () => {
    const bus = new InProcessBus({ logger: recordingLogger() });
    await bus.provision({ exchanges: [], queues: [queue], bindings: [] });
    let rounds = 0;
    const consumer = await bus.consume('queue', { prefetch: 10 }, async () => {
      rounds += 1;
      return 'retry';
    });
    await bus.publish(message);
    await pause(50);
    expect(rounds).toBeGreaterThan(10);
    await consumer.close({ deadlineMilliseconds: 0 });
    await bus.close();
  });

  test.each([
    ['', 'no queue took a dead letter; dropped'],
    ['nowhere', 'dead-letter exchange is missing; dead letter dropped'],
  ])('logs a dead letter for the exchange "%s" that no queue takes', async (exchange, text) => {
    const logger = recordingLogger();
    const bus = new InProcessBus({ logger });
    const lossy = { ...queue, deadLetterExchange: exchange, deadLetterRoutingKey: 'none' };
    await bus.provision({ exchanges: [], queues: [lossy], bindings: [] });
    await bus.consume('queue', { prefetch: 1 }, async () => 'discard');
    await bus.publish({ ...message, messageId: 'm' });
    await until(() => logger.lines.length > 0, 'a log line');
    const fields = { queue: 'queue', reason: 'rejected', messageId: 'm', exchange };
    expect(logger.lines).toMatchObject([{ level: 'error', message: text, fields }]);
    await bus.close();
  });

  test('says why it does not take what it is given', async () => {
    const bus = new InProcessBus({ logger: recordingLogger() });
    const exchange = { name: 'e', kind: 'direct' } as const;
    const full = { name: 'full', kind: 'classic', maximumLength: 1, overflow: 'reject-publish' } as const;
    const topology = { exchanges: [exchange], queues: [queue, full], bindings: [] };
    await bus.provision(topology);
    await bus.provision(topology);
    const to = (given: Partial<OutgoingMessage>) => bus.publish({ ...message, ...given });
    await to({ routingKey: 'full' });
    const binding = { exchange: 'e', queue: 'queue', routingKey: 'k' };
    const refusals = [
      bus.provision({ ...topology, queues: [{ ...queue, maximumLength: 1 }] }),
      bus.provision({ ...topology, exchanges: [{ ...exchange, kind: 'fanout' }] }),
      bus.provision({ ...topology, bindings: [{ ...binding, queue: 'none' }] }),
      bus.provision({ ...topology, bindings: [{ ...binding, exchange: 'none' }] }),
      to({ body: Buffer.alloc(16_777_217) }),
      to({ routingKey: 'full' }),
      to({ exchange: 'e' }),
      to({ exchange: 'none', mandatory: false }),
      bus.consume('none', { prefetch: 1 }, async () => 'done'),
    ].map((work) =>
      work.then(
        () => '',
        ({ name, message: text }: Error) => `${name}: ${text}`,
      ),
    );
    expect(await Promise.all(refusals)).toEqual([
      'TopologyMismatchError: queue "queue" exists with other properties',
      'TopologyMismatchError: exchange "e" is direct, not fanout',
      'TopologyMismatchError: binding to queue "none", which is missing',
      'TopologyMismatchError: queue "queue" is bound to exchange "none", which is missing',
      'RefusedError: a body of 16777217 bytes is larger than 16777216',
      'RefusedError: queue "full" is full',
      'UnroutableError: no queue takes routing key "queue" of exchange "e"',
      'UnroutableError: there is no exchange "none"',
      'QueueMissingError: there is no queue "none"',
    ]);
    await to({ exchange: 'e', routingKey: 'none', mandatory: false });
    await to({ body: Buffer.alloc(16_777_216) });
    await to({ exchange: 'e', routingKey: 'none', alternativeRoutingKey: 'none either' }).catch(() => 0);
    await bus.provision({ ...topology, bindings: [binding] });
    await to({ exchange: 'e', routingKey: 'other', alternativeRoutingKey: 'k' });
    expect(await bus.queueStatus('queue')).toMatchObject({ messages: 2, consumers: 0 });
    expect(await bus.queueStatus('none')).toBeNull();
    await bus.close();
    await bus.close();
    const closed = { name: 'BusUnavailableError', message: 'the bus is closed' };
    for (const work of [to({}), bus.provision(topology), bus.queueStatus('queue')])
      await expect(work).rejects.toMatchObject(closed);
    expect([bus.state, bus.queueStates()]).toEqual(['closed', []]);
  });
});
