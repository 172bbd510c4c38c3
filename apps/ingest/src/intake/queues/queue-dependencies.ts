import type { QueueSourceStore } from '@millrace/runs';
import { createOutgoingGuard, fixedLimits } from '@millrace/service';
import type { QueueDependencies } from '../../ingest-dependencies';
import type { IngestSettings } from '../../settings';

/** Returns what consumes from queues of users' brokers, by the settings of the installation. */
export function queueDependencies(
  settings: Pick<IngestSettings, 'MILLRACE_OUTGOING_ALLOW'>,
  sources: QueueSourceStore,
): QueueDependencies {
  return {
    sources,
    guard: createOutgoingGuard({ allow: settings.MILLRACE_OUTGOING_ALLOW }),
    maximumPrefetch: fixedLimits.queuePrefetch,
    maximumMessageBytes: fixedLimits.queueMessageBytes,
    maximumSources: fixedLimits.processQueueSources,
    leaseMilliseconds: fixedLimits.queueLeaseMilliseconds,
  };
}
