import { isDict } from '@millrace/flow';
import { Data, parseLenientJson, str } from '@millrace/python-text';

/**
 * Converts the event that started a run to data. Without an event, and for a text that is no JSON object, the data is
 * empty, as in Langflow: a run by hand has no event. The stored event has the member `attempt` of its first attempt, 0;
 * `attempt` is the number of this one, which begins at 1.
 * `status` says what came.
 */
export function parseTriggerEvent(text: string, { kind, attempt }: TriggerRun): TriggerEvent {
  const nothing = (status: string): TriggerEvent => ({ event: new Data({}), status });
  if (text.trim() === '') return nothing('No trigger event: this run was not started by a trigger.');
  const event = parseLenientJson(text);
  if (event === undefined) return nothing('The trigger event could not be read: it is not valid JSON.');
  if (!isDict(event)) return nothing('The trigger event could not be read: it is not a JSON object.');
  if (Object.keys(event).length === 0) return parseTriggerEvent('', { kind, attempt });
  const isRepeated = attempt > 1 && Object.hasOwn(event, 'attempt');
  return {
    event: new Data(isRepeated ? { ...event, attempt: attempt - 1 } : event),
    status: `${str(event['kind'] ?? kind)} event ${str(event['event_id'] ?? '')}`,
  };
}

export interface TriggerRun {
  /** The kind of the node, for an event that names none. */
  readonly kind: string;
  readonly attempt: number;
}

export interface TriggerEvent {
  readonly event: Data;
  readonly status: string;
}
