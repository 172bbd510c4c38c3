import type { Database } from '@millrace/database';
import { Encryption, RequestSeal, TriggerEventStore, TriggerStore } from '@millrace/runs';

/** Returns what ingest needs of triggers, with a fixed encryption key. */
export function testTriggerStores(database: Database) {
  return {
    triggers: new TriggerStore({ database, encryption: Encryption.from(['0'.repeat(64)]) }),
    triggerEvents: new TriggerEventStore({ database, seal: new RequestSeal({ encryption: null }) }),
  };
}
