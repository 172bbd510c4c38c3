import type { Metrics } from '../metrics/metrics';
import type { Health, Readiness } from './health';

/**
 * Exports the result of each readiness check of this process. A collection reads the results of the checks that the
 * collection before started, and starts them again: a check that waits for a server does not delay the collection.
 */
export function measureChecks(metrics: Metrics, health: Pick<Health, 'ready'>): void {
  let latest: Readiness['checks'] = {};
  metrics.gauge(
    'millrace_check_passed',
    '1 while the check of /readyz passes, as of the collection before',
    () => {
      const read = Object.entries(latest).map(([check, { ok }]) => [ok ? 1 : 0, { check }] as const);
      void health.ready().then(({ checks }) => {
        latest = checks;
      });
      return read;
    },
  );
}
