import { isDict } from '@millrace/flow';
import { Data, parseLenientJson, unescapeNewlines } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

export interface WebhookPayload {
  readonly value: Data;
  /** The status of the vertex, in place of the value. */
  readonly note: string | null;
}

/**
 * Converts the body of a webhook to data. An object is used unchanged, and null is an empty object. A list, a text, a
 * number or a boolean is stored parsed under the key `payload`; a body that is not JSON is stored there as text.
 *
 * JSON is parsed without changes, so that escaped newlines are preserved. Only a body that is not JSON is unescaped
 * like any other text setting (a backslash and n become a newline) and parsed again. Langflow unescapes every body.
 */
export function parseWebhookPayload(text: string): WebhookPayload {
  if (text === '') return { value: new Data({}), note: 'No data provided.' };
  const parsed = parseLenientJson(text);
  if (parsed !== undefined) return { value: dataOf(parsed), note: null };
  const unescaped = unescapeNewlines(text);
  const unescapedJson = parseLenientJson(unescaped.replaceAll('"\n"', '"\\n"'));
  if (unescapedJson !== undefined) return { value: dataOf(unescapedJson), note: null };
  return {
    value: new Data({ payload: unescaped }),
    note: `Invalid JSON payload. Please check the format.\n\n${unescaped}`,
  };
}

function dataOf(value: PythonValue): Data {
  if (value === null) return new Data({});
  return new Data(isDict(value) ? value : { payload: value });
}
