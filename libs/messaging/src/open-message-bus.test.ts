import { createMetrics } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { BusUnavailableError, openMessageBus, UnroutableError, type MessageBus } from '.';

const message = {
  exchange: '',
  routingKey: 'queue',
  body: Buffer.from('hello'),
  persistent: false,
  mandatory: true,
};

describe('opening a message bus', () => {
  test('opens an in-process bus without an address', async () => {
    const bus = await openMessageBus({ url: undefined, logger: recordingLogger(), name: 'test' });
    expect(bus.state).toBe('connected');
    await expect(bus.publish(message)).rejects.toThrow(UnroutableError);
    await bus.close();
  });

  test('fails in time, with the reason as its cause, when nothing listens at the address', async () => {
    const logger = recordingLogger();
    const opening = openMessageBus({ url: 'amqp://127.0.0.1:1', logger, name: 'test' });
    await expect(opening).rejects.toThrow(BusUnavailableError);
    await expect(opening).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    const error = expect.objectContaining({ code: 'ECONNREFUSED' });
    const [first] = logger.fieldsOf('no connection to RabbitMQ yet');
    expect(first).toEqual({ error, node: '127.0.0.1:1', attempt: 1, tries: 5 });
  });

  test('counts publishes by outcome and deliveries by verdict, and reports whether it is connected', async () => {
    const metrics = createMetrics();
    const logger = recordingLogger();
    const bus: MessageBus = await openMessageBus({ url: undefined, logger, name: 'test', metrics });
    await bus.provision({ exchanges: [], queues: [{ name: 'queue', kind: 'classic' }], bindings: [] });
    let deliveries = 0;
    const verdicts = ['retry', 'done', 'discard'] as const;
    await bus.consume('queue', { prefetch: 1 }, async () => verdicts[deliveries++] ?? 'done');
    await bus.publish(message);
    await bus.publish(message);
    await expect(bus.publish({ ...message, routingKey: 'nowhere' })).rejects.toThrow(UnroutableError);
    await until(() => deliveries === 3, 'three deliveries');
    const opened = await metrics.prometheusText();
    expect(opened).toMatch(/millrace_bus_connected 1/);
    expect(opened).toContain('millrace_lane_consumers{queue="queue"} 1');
    expect(opened).toContain('millrace_lane_problems{queue="queue"} 0');
    await bus.close();
    const text = await metrics.prometheusText();
    expect(text).toMatch(/millrace_bus_publishes_total\{outcome="confirmed"\} 2/);
    expect(text).toMatch(/millrace_bus_publishes_total\{outcome="unroutable"\} 1/);
    for (const verdict of verdicts) {
      expect(text).toContain(`millrace_bus_deliveries_total{verdict="${verdict}"} 1`);
    }
    expect(text).toMatch(/millrace_bus_state_changes_total\{state="closed"\} 1/);
    expect(text).toMatch(/millrace_bus_connected 0/);
    await metrics.close();
  });
});
