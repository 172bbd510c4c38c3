import type { Counter, Histogram, Metrics } from '@millrace/service';

export type ProcessState = 'starting' | 'ready' | 'leased' | 'kept';

/** The metrics of a pool of Python processes. */
export interface PoolMetrics {
  readonly zygoteStarts: Counter;
  /** `outcome` is `ready`, `kept`, `waited` or `timed_out`. */
  readonly leases: Counter;
  readonly leaseWait: Histogram;
  /** `reason` is `recycled`, `cancelled` or `ended`. */
  readonly processEnds: Counter;
  readonly startFailures: Counter;
  /** `outcome` is `removed` or `failed`. */
  readonly leftFolders: Counter;
}

export function createPoolMetrics(
  metrics: Metrics,
  processes: () => Readonly<Record<ProcessState, number>>,
): PoolMetrics {
  metrics.gauge('millrace_python_processes', 'Python processes, by state', () =>
    Object.entries(processes()).map(([state, count]) => [count, { state }] as const),
  );
  return {
    zygoteStarts: metrics.counter('millrace_python_zygote_starts_total', 'Starts of the Python zygote'),
    leases: metrics.counter('millrace_python_leases_total', 'Leases of Python processes, by outcome'),
    leaseWait: metrics.histogram('millrace_python_lease_wait', 'Time until a run has its Python process', {
      unit: 's',
      boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    }),
    processEnds: metrics.counter(
      'millrace_python_process_ends_total',
      'Python processes that ended, by reason',
    ),
    startFailures: metrics.counter(
      'millrace_python_start_failures_total',
      'Python processes that did not start, or are not sealed as demanded',
    ),
    leftFolders: metrics.counter(
      'millrace_python_left_folders_total',
      'Folders of pools whose process ended without removing them, by outcome',
    ),
  };
}
