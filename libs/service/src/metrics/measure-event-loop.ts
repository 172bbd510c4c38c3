import type { Metrics } from './metrics';

const SAMPLE_MILLISECONDS = 20;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * Records, fifty times a second, the delay of this process's event loop, which delays everything it serves. The
 * distribution is cumulative, so that a reader can derive any time span. Returns the function that stops it.
 */
export function measureEventLoop(metrics: Metrics): () => void {
  const delays = metrics.histogram('millrace_event_loop_delay_seconds', 'Delay of the event loop', {
    unit: 's',
    boundaries: SECONDS,
  });
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delays.record(Math.max(0, now - before - SAMPLE_MILLISECONDS) / 1_000);
    before = now;
  }, SAMPLE_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}
