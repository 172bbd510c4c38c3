import { setTimeout as pause } from 'node:timers/promises';
import { createMetrics } from '../index';
import { measureEventLoop } from './measure-event-loop';

test('records the distribution of event loop delays', async () => {
  const metrics = createMetrics();
  const stop = measureEventLoop(metrics);
  await pause(300);
  const until = Date.now() + 1_200;
  while (Date.now() < until);
  await pause(100);
  stop();
  const lines = (await metrics.prometheusText()).split('\n');
  const atMost = (bound: string) => {
    const start = `millrace_event_loop_delay_seconds_bucket{le="${bound}"} `;
    return Number(lines.find((line) => line.startsWith(start))?.slice(start.length));
  };
  expect(atMost('+Inf') - atMost('1')).toBe(1);
  expect(atMost('0.5')).toBeGreaterThan(2);
  await metrics.close();
});
