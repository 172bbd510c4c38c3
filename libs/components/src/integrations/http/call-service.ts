import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { callHttp } from './call-http';
import { decodeText } from './decode-text';
import type { HttpAnswer, HttpCall } from './http-call';
import { serviceError } from './service-error';

type Parameter = string | number | boolean | null | undefined;

/** A call of a service's API. */
export interface ServiceCall extends Omit<HttpCall, 'url'> {
  readonly url: string;
  /** Added to the URL; null, undefined and empty values are omitted. */
  readonly query?: Readonly<Record<string, Parameter>>;
  /** Sent as JSON; undefined members are omitted. */
  readonly json?: unknown;
  /** Keys to remove from error messages. */
  readonly secrets?: readonly string[];
}

/** Makes a call. Rejects with a ComponentError that contains the service's error text unless the status is 2xx. */
export async function callService(call: ServiceCall, context: ComponentContext): Promise<HttpAnswer> {
  const { url, query = {}, json, secrets = [], headers = {}, ...rest } = call;
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') address.searchParams.set(name, String(value));
  }
  const answer = await callHttp(
    json === undefined
      ? { ...rest, headers, url: address }
      : {
          ...rest,
          headers: { 'content-type': 'application/json', ...headers },
          url: address,
          body: JSON.stringify(json),
        },
    context,
  );
  if (answer.status < 200 || answer.status > 299) throw serviceError(call.service, answer, secrets);
  return answer;
}

/** Makes a call like `callService` and parses the answer as JSON. */
export async function callJson(call: ServiceCall, context: ComponentContext): Promise<PythonValue> {
  const headers = { accept: 'application/json', ...call.headers };
  const answer = await callService({ ...call, headers }, context);
  try {
    return parsePythonJson(decodeText(answer));
  } catch (error) {
    throw new ComponentError(`${call.service} returned a response that is not JSON.`, error);
  }
}

/** Makes a call like `callService` and returns the text of the answer. */
export async function callText(call: ServiceCall, context: ComponentContext): Promise<string> {
  return decodeText(await callService(call, context));
}
