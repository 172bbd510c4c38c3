import { isDict } from '@millrace/flow';
import { Data, parsePythonJson, PythonJsonError } from '@millrace/python-text';

/**
 * Converts the event that started a run to data. Without an event, and for a text that is no JSON object, the data is
 * empty, as in Langflow: a run by hand has no event.
 */
export function parseTriggerEvent(text: string): Data {
  if (text.trim() === '') return new Data({});
  try {
    const event = parsePythonJson(text);
    return new Data(isDict(event) ? event : {});
  } catch (error) {
    if (error instanceof PythonJsonError) return new Data({});
    throw error;
  }
}
