import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import { requireKey } from '../http/require-key';

/** Sends a request to Tavily. Requests only read, so a call can be repeated. */
export function callTavily(
  path: 'search' | 'extract',
  apiKey: string,
  json: unknown,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = requireKey(apiKey, 'Tavily API Key');
  return callJson(
    {
      service: 'Tavily',
      url: `https://api.tavily.com/${path}`,
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      json,
      secrets: [key],
      timeoutMilliseconds: 90_000,
      repeatable: true,
    },
    context,
  );
}
