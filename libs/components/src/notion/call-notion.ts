import { ComponentError, isDict, jsonValue, parsePythonJson } from '@millrace/flow';
import type { ComponentContext, PythonValue } from '@millrace/flow';
import { callJson } from '../http/call-service';
import type { ServiceCall } from '../http/call-service';
import { requireKey } from '../http/require-key';

/** Asks Notion. */
export function callNotion(
  secret: string,
  path: string,
  call: Pick<ServiceCall, 'method' | 'json' | 'query' | 'repeatable'>,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = requireKey(secret, 'Notion Secret');
  const fixed = {
    service: 'Notion',
    url: `https://api.notion.com/v1/${path}`,
    headers: { authorization: `Bearer ${key}`, 'notion-version': '2022-06-28' },
    secrets: [key],
  };
  return callJson({ ...call, ...fixed }, context);
}

/** An object that somebody wrote as JSON, ready to be sent. */
export function writtenObject(text: string, name: string): unknown {
  try {
    const value = parsePythonJson(text);
    if (isDict(value)) return jsonValue(value);
  } catch {
    // Told below, like any other value that is no object.
  }
  throw new ComponentError(`Invalid ${name} format. Please provide a valid JSON object.`);
}

/** An id as a part of an address. */
export function pathPart(id: string): string {
  return encodeURIComponent(id.trim());
}
