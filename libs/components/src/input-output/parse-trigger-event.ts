import { isDict } from '@millrace/flow';
import { Data, parseLenientJson } from '@millrace/python-text';

/**
 * Converts the event that started a run to data. Without an event, and for a text that is no JSON object, the data is
 * empty, as in Langflow: a run by hand has no event. The stored event has the member `attempt` of its first attempt, 0;
 * `attempt` is the number of this one, which begins at 1.
 */
export function parseTriggerEvent(text: string, attempt: number): Data {
  if (text.trim() === '') return new Data({});
  const event = parseLenientJson(text);
  if (event === undefined || !isDict(event)) return new Data({});
  const isRepeated = attempt > 1 && Object.hasOwn(event, 'attempt');
  return new Data(isRepeated ? { ...event, attempt: attempt - 1 } : event);
}
