import type { PythonValue } from '@millrace/flow';
import { Data, isDict, parsePythonJson, PythonJsonError, unescapeNewlines } from '@millrace/flow';

export interface WebhookPayload {
  readonly value: Data;
  /** What the vertex shows of itself instead of the value. */
  readonly note: string | null;
}

/**
 * Makes data of what a webhook brought. An object is taken as it is, null as an empty one; a list, a text, a number or
 * a truth value stands under the key `payload`, parsed; what is no JSON stands there as text.
 *
 * JSON is parsed as it came, so that an escaped newline stays one. Only a text that is no JSON is read like any other
 * text setting (a backslash and n are a newline) and tried once more, as Langflow does from the start.
 */
export function parseWebhookPayload(text: string): WebhookPayload {
  if (text === '') return { value: new Data({}), note: 'No data provided.' };
  const parsed = parsedJson(text);
  if (parsed !== undefined) return { value: dataOf(parsed), note: null };
  const unescaped = unescapeNewlines(text);
  const rescued = parsedJson(unescaped.replaceAll('"\n"', '"\\n"'));
  if (rescued !== undefined) return { value: dataOf(rescued), note: null };
  return {
    value: new Data({ payload: unescaped }),
    note: `Invalid JSON payload. Please check the format.\n\n${unescaped}`,
  };
}

function dataOf(value: PythonValue): Data {
  if (value === null) return new Data({});
  return new Data(isDict(value) ? value : { payload: value });
}

function parsedJson(text: string): PythonValue | undefined {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return undefined;
    throw error;
  }
}
