import { openMemoryStore } from '@millrace/key-value';
import type { Database } from '@millrace/database';
import {
  AlertStore,
  DecisionLinks,
  CallbackStore,
  Encryption,
  EndedRequests,
  FileStore,
  MessageStore,
  RefusedDeliveryStore,
  RetentionStore,
  RequestSeal,
  TriggerEventStore,
  TriggerStore,
} from '@millrace/runs';
import { createLogger, createOutgoingFetch } from '@millrace/service';

/** Returns what ingest needs of files, triggers and callbacks, with a fixed encryption key. Callbacks reach this machine. */
export function testStores(database: Database) {
  const encryption = Encryption.from(['0'.repeat(64)]);
  const seal = new RequestSeal({ encryption: null });
  const messages = new MessageStore({ database });
  const logger = createLogger({ name: 'ingest-test', level: 'silent' });
  const decisionLinks = new DecisionLinks({ encryption, publicUrl: 'https://flows.test' });
  return {
    keyValue: openMemoryStore(),
    files: new FileStore({ database }),
    triggers: new TriggerStore({ database, encryption }),
    triggerEvents: new TriggerEventStore({ database, seal }),
    alerts: new AlertStore({ database }),
    callbacks: new CallbackStore({ database, seal, decisionLinks }),
    endedRequests: new EndedRequests({ database, seal, messages, logger }),
    refusedDeliveries: new RefusedDeliveryStore({ database }),
    retention: new RetentionStore({ database, messages }),
    fetch: createOutgoingFetch({ allow: ['127.0.0.1/32'] }),
  };
}
