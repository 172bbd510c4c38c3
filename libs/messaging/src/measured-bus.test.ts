import { createMetrics } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { InProcessBus } from './in-process/in-process-bus';
import { MeasuredBus } from './measured-bus';

const message = { exchange: '', persistent: false, mandatory: true };

test('the metrics of a bus count messages, verdicts and states, and show its queues', async () => {
  const metrics = createMetrics();
  const inner = new InProcessBus({ logger: recordingLogger() });
  const bus = new MeasuredBus(inner, metrics);
  const states: string[] = [];
  bus.onStateChange((state) => states.push(state));
  await bus.provision({ exchanges: [], queues: [{ name: 'q', kind: 'classic' }], bindings: [] });
  const bodies: string[] = [];
  await bus.consume('q', { prefetch: 1 }, async ({ body }) => {
    bodies.push(body.toString());
    if (bodies.length === 1) throw new Error('broken');
    return 'discard';
  });
  const publish = (routingKey: string, text: string) =>
    bus.publish({ ...message, routingKey, body: Buffer.from(text) });
  await Promise.all([publish('q', 'a'), publish('q', 'b')]);
  await expect(publish('nowhere', 'c')).rejects.toMatchObject({ code: 'unroutable' });
  await expect(publish('q', ' '.repeat(20_000_000))).rejects.toMatchObject({ code: 'refused' });
  await until(() => bodies.length === 3);
  await until(async () => (await bus.queueStatus('q'))?.messages === 0);
  expect(linesOf(await metrics.prometheusText(), /^millrace_(?:bus_connected|lane)/)).toEqual([
    'millrace_bus_connected 1',
    'millrace_lane_consumers{queue="q"} 1',
    'millrace_lane_problems{queue="q"} 0',
  ]);
  expect([bus.state, bus.queueStates()]).toEqual([
    'connected',
    [{ queue: 'q', isConsuming: true, problem: null }],
  ]);
  await bus.close();
  expect([bus.state, states]).toEqual(['closed', ['closed']]);
  expect(linesOf(await metrics.prometheusText(), /^millrace_bus.* [^0]\S*$|^millrace_bus_connected/)).toEqual(
    [
      'millrace_bus_connected 0',
      'millrace_bus_deliveries_total{verdict="discard"} 2',
      'millrace_bus_deliveries_total{verdict="failed"} 1',
      'millrace_bus_publishes_total{outcome="confirmed"} 2',
      'millrace_bus_publishes_total{outcome="refused"} 1',
      'millrace_bus_publishes_total{outcome="unroutable"} 1',
      'millrace_bus_state_changes_total{state="closed"} 1',
    ],
  );
});

test('a message is counted that could not be published for a reason without a code', async () => {
  const metrics = createMetrics();
  const inner = new InProcessBus({ logger: recordingLogger() });
  inner.publish = () => Promise.reject(new Error('without a code'));
  const bus = new MeasuredBus(inner, metrics);
  await expect(bus.publish({ ...message, routingKey: 'q', body: Buffer.alloc(0) })).rejects.toThrow();
  await bus.close();
  expect(linesOf(await metrics.prometheusText(), /publishes.* [^0]\S*$/)).toEqual([
    'millrace_bus_publishes_total{outcome="failed"} 1',
  ]);
});

/** The lines of metrics of the bus that match, in their order by name. */
function linesOf(text: string, pattern: RegExp): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /^millrace_(?:bus|lane)/.test(line) && pattern.test(line))
    .map((line) => line.replace(/,?otel_\w+="[^"]*"/g, ''))
    .sort();
}
