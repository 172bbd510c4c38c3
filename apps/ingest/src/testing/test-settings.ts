import { readSettings } from '@millrace/service';
import type { IngestOptions } from '../ingest-dependencies';
import { ingestSettings } from '../settings';

/** Returns the default settings, with limits that tests reach sooner, and those that are given. */
export function testSettings(given: Partial<IngestOptions> = {}): IngestOptions {
  return {
    ...readSettings(ingestSettings, {}),
    MILLRACE_MAXIMUM_BODY_BYTES: 65_536,
    MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS: 60,
    MILLRACE_USER_QUEUE_SHARE: 1_000,
    MILLRACE_USER_BACKLOG_LIMIT: 10_000,
    ...given,
  };
}
