import type { Counter, Histogram, Metrics } from '@millrace/service';

export type ProcessState = 'starting' | 'ready' | 'leased' | 'kept';

const LEASE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** The metrics of a pool of Python processes. */
export interface PoolMetrics {
  readonly zygoteStarts: Counter;
  /** `outcome` is `ready`, `kept`, `waited` or `timed_out`. */
  readonly leases: Counter;
  readonly leaseWait: Histogram;
  /** The same under its former name. */
  readonly formerLeaseWait: Histogram;
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
    leases: metrics.counter('millrace_python_leases_total', 'Leases of Python processes, by outcome', {
      labels: { outcome: ['ready', 'kept', 'waited', 'timed_out'] },
    }),
    leaseWait: metrics.histogram(
      'millrace_python_lease_wait_seconds',
      'Time until a run has its Python process',
      { unit: 's', boundaries: LEASE_SECONDS },
    ),
    formerLeaseWait: metrics.histogram(
      'millrace_python_lease_wait',
      'Deprecated: millrace_python_lease_wait_seconds',
      { unit: 's', boundaries: LEASE_SECONDS },
    ),
    processEnds: metrics.counter(
      'millrace_python_process_ends_total',
      'Python processes that ended, by reason',
      { labels: { reason: ['recycled', 'cancelled', 'ended'] } },
    ),
    startFailures: metrics.counter(
      'millrace_python_start_failures_total',
      'Python processes that did not start, or are not sealed as demanded',
    ),
    leftFolders: metrics.counter(
      'millrace_python_left_folders_total',
      'Folders of pools whose process ended without removing them, by outcome',
      { labels: { outcome: ['removed', 'failed'] } },
    ),
  };
}
