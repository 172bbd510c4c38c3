import { createMetrics } from './create-metrics';
import { measureProcess } from './measure-process';

test('a process exports its build and how busy its event loop is', async () => {
  const metrics = createMetrics();
  const stop = measureProcess(metrics);
  const text = await metrics.prometheusText();
  stop();
  expect(text).toMatch(/^millrace_build_info\{.*\} 1$/m);
  expect(text).toContain(`node_version="${process.versions.node}"`);
  expect(text).toMatch(/^millrace_event_loop_utilization_ratio [\d.e-]+$/m);
});
