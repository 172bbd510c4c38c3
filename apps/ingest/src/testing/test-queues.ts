import type { Database } from '@millrace/database';
import { QueueSourceStore } from '@millrace/runs';
import { createOutgoingGuard } from '@millrace/service';
import type { QueueDependencies } from '../ingest-dependencies';

/** Sources and reports on brokers of this machine, with short intervals. */
export function testQueues(database: Database): QueueDependencies {
  return {
    sources: new QueueSourceStore({ database }),
    guard: createOutgoingGuard({ allow: ['127.0.0.1/32'] }),
    maximumPrefetch: 50,
    maximumMessageBytes: 10_000,
    maximumSources: 50,
    roundMilliseconds: 50,
    leaseMilliseconds: 2_000,
  };
}
