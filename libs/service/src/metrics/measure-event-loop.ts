import type { Metrics } from './metrics';

const LOOK_MILLISECONDS = 20;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Counts, fifty times a second, how late the event loop of this process is: everything it serves waits that long. A
 * distribution that only grows, so that every reader finds any span of time in it. Returns how to stop.
 */
export function measureEventLoop(metrics: Metrics): () => void {
  const delays = metrics.histogram('millrace_event_loop_delay_seconds', 'How late the event loop is', {
    unit: 's',
    boundaries: SECONDS,
  });
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delays.record(Math.max(0, now - before - LOOK_MILLISECONDS) / 1_000);
    before = now;
  }, LOOK_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
