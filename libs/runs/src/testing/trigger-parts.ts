import { randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import { uuidv7 } from '@millrace/service';
import { Encryption } from '../encryption/encryption';
import { RequestSeal } from '../encryption/request-seal';
import type { FlowRecord } from '../flows/flow-record';
import { RunStore } from '../runs/run-store';
import type { NewTriggerEvent } from '../triggers/trigger-event-record';
import { TriggerEventStore } from '../triggers/trigger-event-store';
import { TriggerStore } from '../triggers/trigger-store';
import type { NewTrigger, TriggerRecord } from '../triggers/trigger-record';
import { completion, newRun } from './test-parts';

const encryption = Encryption.from(['0'.repeat(64)]);

/** Returns the stores of triggers on a database, and what makes triggers and events. */
export function triggerParts(open: () => { readonly database: Database }) {
  const triggers = () => new TriggerStore({ database: open().database, encryption });
  const events = () =>
    new TriggerEventStore({ database: open().database, seal: new RequestSeal({ encryption: null }) });
  const runs = () => new RunStore({ database: open().database });
  return {
    triggers,
    events,
    runs,
    make: async (flow: FlowRecord, changes: Partial<NewTrigger> = {}): Promise<TriggerRecord> => {
      const trigger: NewTrigger = {
        flowId: flow.id,
        name: 'hook',
        kind: 'inbound_webhook',
        nodeId: null,
        config: {},
        state: 'pending',
        sessionPolicy: 'per_event',
        concurrencyLimit: 100,
        maximumAttempts: 5,
        flowVersion: null,
        nextOccurrenceAt: null,
        nextFireAt: null,
        ...changes,
      };
      const created = await triggers().create(flow.userId, trigger);
      if (!created) throw new Error('no trigger');
      return created;
    },
    eventOf: (
      flow: FlowRecord,
      trigger: TriggerRecord,
      dedupeKey: string = randomUUID(),
    ): NewTriggerEvent => ({
      id: uuidv7(),
      triggerId: trigger.id,
      dedupeKey,
      payload: '{"n":1.0}',
      replayOf: null,
      run: newRun(flow, { dedupeKey: `trigger:${trigger.id}:${dedupeKey}` }),
    }),
    /** Claims and completes a run. */
    end: async (runId: string) => {
      await runs().claim([{ runId, worker: 'one', redelivered: false }]);
      await runs().complete([completion(runId, 1)]);
    },
  };
}
