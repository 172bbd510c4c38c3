import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import type { ServiceCall } from '../http/call-service';
import { member, textMember } from '../http/json-members';
import { requireKey } from '../http/require-key';

/** Sends a request to Firecrawl's API v1. The path can be a whole address, for the links in Firecrawl's responses. */
export async function callFirecrawl(
  apiKey: string,
  path: string,
  call: Partial<Pick<ServiceCall, 'method' | 'json' | 'headers' | 'repeatable'>>,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = requireKey(apiKey, 'Firecrawl API Key');
  const answer = await callJson(
    {
      ...call,
      service: 'Firecrawl',
      url: `https://api.firecrawl.dev/v1/${path}`,
      headers: { ...call.headers, authorization: `Bearer ${key}` },
      secrets: [key],
      timeoutMilliseconds: 120_000,
    },
    context,
  );
  if (member(answer, 'success') === false)
    throw new ComponentError(`Firecrawl: ${textMember(answer, 'error')}`);
  return answer;
}
