import { bodyOfQueuePayload, queueInputs } from '@millrace/dispatch';
import type { TriggerRecord } from '@millrace/runs';

/** How the payload of a signed delivery begins; the body of the webhook follows. */
const DELIVERY_PREFIX = '{"provider":"webhook","delivery":';

/** What components of the flow read of an event beside its payload. */
interface EventInputs {
  readonly delivery: string | null;
  readonly inputValue: string;
}

const NONE: EventInputs = { delivery: null, inputValue: '' };

/** Returns the inputs of a test event. `payload` is the JSON text of the caller's object. */
export function testInputs(trigger: TriggerRecord, payload: string): EventInputs {
  if (trigger.kind === 'schedule') return NONE;
  return trigger.kind === 'rabbitmq'
    ? queueInputs({ config: { ...trigger.config, body: 'json' } }, payload)
    : { ...NONE, delivery: payload };
}

/** Returns the inputs of an event with the payload of an earlier one. */
export function replayInputs(trigger: TriggerRecord, payload: string): EventInputs {
  if (trigger.kind === 'schedule') return NONE;
  if (trigger.kind === 'rabbitmq') return queueInputs(trigger, bodyOfQueuePayload(payload) ?? payload);
  const isDelivery = payload.startsWith(DELIVERY_PREFIX);
  return { ...NONE, delivery: isDelivery ? payload.slice(DELIVERY_PREFIX.length, -1) : payload };
}
