import { ComponentError, isDict, jsonValue } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import type { ServiceCall } from '../http/call-service';
import { requireKey } from '../http/require-key';

/** Sends a request to Notion. */
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

/** Parses an object that an author or a model wrote as JSON, ready to be sent. */
export function parseObject(text: string, name: string): unknown {
  try {
    const value = parsePythonJson(text);
    if (isDict(value)) return jsonValue(value);
  } catch {
    // Reported below, like any other value that is not an object.
  }
  throw new ComponentError(`Invalid ${name} format. Please provide a valid JSON object.`);
}

/** Encodes an id as a part of an address. */
export function encodePathSegment(id: string): string {
  return encodeURIComponent(id.trim());
}
