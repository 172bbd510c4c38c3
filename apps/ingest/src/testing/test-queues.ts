import type { Database } from '@millrace/database';
import { QueueSourceStore } from '@millrace/runs';
import type { TestIngestOptions } from './test-ingest';

/** Sources and reports on brokers of this machine, with short intervals. */
export function testQueues(database: Database): TestIngestOptions {
  return {
    queueSources: new QueueSourceStore({ database }),
    queueRoundMilliseconds: 50,
    settings: { MILLRACE_OUTGOING_ALLOW: ['127.0.0.1/32'] },
    limits: {
      queuePrefetch: 50,
      queueMessageBytes: 10_000,
      processQueueSources: 50,
      queueLeaseMilliseconds: 2_000,
    },
  };
}
