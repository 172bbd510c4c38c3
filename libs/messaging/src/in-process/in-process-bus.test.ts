import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { InProcessBus, RefusedError, type OutgoingMessage } from '..';
import { describeMessageBus } from '../message-bus.contract';
import { recordingLogger } from '../recording-logger.fixture';

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

  test('logs a dead letter that no queue takes', async () => {
    const logger = recordingLogger();
    const bus = new InProcessBus({ logger });
    const lossy = { ...queue, deadLetterExchange: 'nowhere' };
    await bus.provision({ exchanges: [], queues: [lossy], bindings: [] });
    await bus.consume('queue', { prefetch: 1 }, async () => 'discard');
    await bus.publish(message);
    await until(() => logger.lines.some(({ level }) => level === 'error'), 'a log line');
    await bus.close();
  });
});
