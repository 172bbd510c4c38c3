import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { callJson, callText } from '../http/call-service';
import type { ServiceCall } from '../http/call-service';
import { requireKey } from '../http/require-key';

type Call = Partial<Omit<ServiceCall, 'url' | 'service' | 'secrets'>>;

/** Sends a request to AssemblyAI and returns the JSON response. */
export function callAssemblyAi(
  apiKey: string,
  path: string,
  call: Call,
  context: ComponentContext,
): Promise<PythonValue> {
  return callJson(serviceCall(apiKey, path, call), context);
}

/** Sends a request to AssemblyAI and returns the response as text. */
export function textOfAssemblyAi(
  apiKey: string,
  path: string,
  call: Call,
  context: ComponentContext,
): Promise<string> {
  return callText(serviceCall(apiKey, path, call), context);
}

function serviceCall(apiKey: string, path: string, { headers = {}, ...call }: Call): ServiceCall {
  const key = requireKey(apiKey, 'AssemblyAI API Key');
  return {
    ...call,
    service: 'AssemblyAI',
    url: `https://api.assemblyai.com/${path}`,
    headers: { ...headers, authorization: key },
    secrets: [key],
  };
}
