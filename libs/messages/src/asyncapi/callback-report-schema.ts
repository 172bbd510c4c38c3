import { alertMeasures, callbackKinds, callbackType } from '@millrace/flow';
import { anyObject, closedObject, integer, named, orNull, text, uuid, namedObject } from './json-schema';

const ofRun = closedObject(
  {
    run_id: uuid,
    flow_id: uuid,
    flow_version: integer,
    session_id: text,
    status: { enum: ['succeeded', 'failed', 'timed_out', 'cancelled', 'dead', 'suspended'] },
    attempts: integer,
    replay_of: orNull(uuid),
    accepted_at: text,
    finished_at: orNull(text),
    result_omitted: { type: 'boolean' },
    error: orNull(anyObject),
    usage: orNull(anyObject),
    result: orNull(anyObject),
    // Of a run that waits for a person.
    request: anyObject,
    links: closedObject({ form: text, actions: anyObject, expires_at: text }),
  },
  ['request', 'links'],
);

const number = { type: 'number' } as const;
const ofBudget = closedObject({
  scope: { enum: ['run', 'key', 'user', 'project', 'flow'] },
  id: uuid,
  period: { enum: ['run', 'day', 'month'] },
  start: text,
  dollars: number,
  tokens: number,
  dollars_limit: orNull(number),
  tokens_limit: orNull(number),
  run_id: uuid,
  flow_id: uuid,
});

const ofAlert = closedObject({
  alert_id: uuid,
  state: { enum: ['began', 'ended'] },
  flow_id: uuid,
  rule: text,
  measure: { enum: [...alertMeasures] },
  threshold: number,
  window_minutes: integer,
  value: orNull(number),
  runs: orNull(integer),
  began_at: text,
  ended_at: orNull(text),
});

/** The body that a receiver gets. */
export const callbackReportSchema = namedObject('CallbackReport', {
  type: { enum: callbackKinds.map(callbackType) },
  timestamp: text,
  data: {
    anyOf: [named('RunReport', ofRun), named('BudgetReport', ofBudget), named('AlertReport', ofAlert)],
  },
});
