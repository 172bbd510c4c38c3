import { rejectionReasons } from '@millrace/runs';
import type { Metrics } from '@millrace/service';
import { QueueSources } from './queue-sources';
import type { QueueSourcesOptions } from './queue-sources';

export interface StartQueueSourcesOptions extends Omit<QueueSourcesOptions, 'counts'> {
  readonly metrics: Metrics;
}

/** Starts consuming from the queues of users. */
export function startQueueSources({ metrics, ...options }: StartQueueSourcesOptions): QueueSources {
  const taken = metrics.counter(
    'millrace_queue_messages_taken_total',
    'Messages of sources whose run was stored',
  );
  const deduplicated = metrics.counter(
    'millrace_queue_messages_deduplicated_total',
    'Messages of sources that were the same event as an earlier one',
  );
  const rejected = metrics.counter(
    'millrace_queue_messages_rejected_total',
    'Messages of sources that were rejected, by reason',
    { labels: { reason: [...rejectionReasons] } },
  );
  const reconnects = metrics.counter(
    'millrace_queue_reconnects_total',
    'Times that a source connected again to its broker',
  );
  const sources = new QueueSources({
    ...options,
    counts: {
      taken: () => taken.add(1),
      deduplicated: () => deduplicated.add(1),
      rejected: (reason) => rejected.add(1, { reason }),
      reconnecting: () => reconnects.add(1),
    },
  });
  metrics.gauge(
    'millrace_queue_consumers',
    'Sources that this process consumes from',
    () => sources.consuming,
  );
  sources.start();
  return sources;
}
