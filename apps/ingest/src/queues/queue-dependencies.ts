import type { QueueSourceStore } from '@millrace/runs';
import { createOutgoingGuard } from '@millrace/service';
import type { QueueDependencies } from '../ingest-dependencies';
import type { IngestSettings } from '../settings';

type QueueSettings = Pick<
  IngestSettings,
  | 'MILLRACE_OUTGOING_ALLOW'
  | 'MILLRACE_MAXIMUM_QUEUE_PREFETCH'
  | 'MILLRACE_MAXIMUM_QUEUE_MESSAGE_BYTES'
  | 'MILLRACE_MAXIMUM_QUEUE_SOURCES'
  | 'MILLRACE_QUEUE_LEASE_SECONDS'
>;

/** Returns what consumes from queues of users' brokers, by the settings of the installation. */
export function queueDependencies(settings: QueueSettings, sources: QueueSourceStore): QueueDependencies {
  return {
    sources,
    guard: createOutgoingGuard({ allow: settings.MILLRACE_OUTGOING_ALLOW }),
    maximumPrefetch: settings.MILLRACE_MAXIMUM_QUEUE_PREFETCH,
    maximumMessageBytes: settings.MILLRACE_MAXIMUM_QUEUE_MESSAGE_BYTES,
    maximumSources: settings.MILLRACE_MAXIMUM_QUEUE_SOURCES,
    leaseMilliseconds: settings.MILLRACE_QUEUE_LEASE_SECONDS * 1_000,
  };
}
