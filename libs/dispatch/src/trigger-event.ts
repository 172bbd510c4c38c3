import type { Callback, RetryRule, RunRequest, Tweaks } from '@millrace/flow';
import type { FlowReference, NewTriggerEvent, TriggerRecord } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { newRun } from './new-run';

/** Pauses between the attempts of an event, as in Langflow. */
const BACKOFF = { backoffSeconds: 5, maximumBackoffSeconds: 300 } as const;

export interface TriggerEventOrder {
  readonly id: string;
  readonly trigger: TriggerRecord;
  readonly flow: FlowReference;
  readonly dedupeKey: string;
  /** JSON text of an object. */
  readonly payload: string;
  /** The body of a webhook or message, for Webhook components of the flow; null without one. */
  readonly delivery: string | null;
  /** The chat input of the run; empty unless given. */
  readonly inputValue?: string;
  /** Where the end of the run is reported, in addition to the callbacks of its flow. */
  readonly callback?: Callback | null;
  readonly replayOf?: string | null;
  /** The HTTP request that brought the event. */
  readonly requestId: string | null;
  readonly limitMilliseconds: number;
  /** Maximum number of attempts that an executor's crash can end. */
  readonly maximumAttempts: number;
}

/** Returns an event with the run that it starts. The run has the rules of the flow and those of the trigger. */
export function newTriggerEvent(order: TriggerEventOrder): NewTriggerEvent {
  const { id, trigger, flow, dedupeKey, payload, replayOf = null } = order;
  const { requestId, limitMilliseconds, maximumAttempts, callback = null } = order;
  const run = newRun({
    id: uuidv7(),
    flow,
    userId: flow.userId,
    lane: 'background',
    request: requestOf(order),
    dedupeKey: `trigger:${trigger.id}:${dedupeKey}`,
    requestId,
    limitMilliseconds,
    maximumAttempts,
    callback,
  });
  const flowVersion = trigger.flowVersion ?? flow.version;
  const retry = retryRuleOf(trigger, flow);
  return { id, triggerId: trigger.id, dedupeKey, payload, replayOf, run: { ...run, flowVersion, retry } };
}

function requestOf({ id, trigger, delivery, inputValue = '', ...order }: TriggerEventOrder): RunRequest {
  const session = `trigger:${trigger.id}`;
  return {
    form: 'webhook',
    inputs: [{ components: [], inputValue, type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: tweaksOf(trigger, eventText({ id, trigger, ...order })),
    stream: false,
    sessionId: trigger.sessionPolicy === 'shared' ? session : `${session}:${id}`,
    globalVariables: {},
    ...(delivery === null ? {} : { webhookPayload: delivery }),
  };
}

/** The event is the value of the trigger's node; of every trigger node when the trigger belongs to none. */
function tweaksOf({ nodeId }: TriggerRecord, event: string): Tweaks {
  return nodeId === null ? { event_payload: event } : { [nodeId]: { event_payload: event } };
}

/** The payload is inserted as text, so that its numbers stay as they were sent. */
function eventText({
  id,
  trigger,
  dedupeKey,
  payload,
}: Pick<TriggerEventOrder, 'id' | 'trigger' | 'dedupeKey' | 'payload'>): string {
  const event = {
    trigger_id: trigger.id,
    event_id: id,
    kind: trigger.kind,
    provider: null,
    dedupe_key: dedupeKey,
    attempt: 0,
  };
  return `${JSON.stringify(event).slice(0, -1)},"payload":${payload}}`;
}

function retryRuleOf(
  { maximumAttempts: attempts }: TriggerRecord,
  { settings }: FlowReference,
): RetryRule | null {
  return attempts > 1 ? { ...BACKOFF, ...settings.retry, attempts } : null;
}
