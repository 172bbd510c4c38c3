import { ComponentError, parsePythonJson } from '@millrace/flow';
import type { ComponentContext, PythonValue } from '@millrace/flow';
import { callHttp } from './call-http';
import { decodeText } from './decode-text';
import type { HttpAnswer, HttpCall } from './http-call';
import { serviceError } from './service-error';

type Parameter = string | number | boolean | null | undefined;

/** A call of a service's interface. */
export interface ServiceCall extends Omit<HttpCall, 'url'> {
  readonly url: string;
  /** Added to the address; what is null, undefined or empty is left out. */
  readonly query?: Readonly<Record<string, Parameter>>;
  /** Sent as JSON; what is undefined in it is left out. */
  readonly json?: unknown;
  /** Keys that no error may show. */
  readonly secrets?: readonly string[];
}

/** Makes the call; an answer whose status is no success is a ComponentError with the service's own words. */
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

/** As `callService`, and reads the answer as JSON. */
export async function callJson(call: ServiceCall, context: ComponentContext): Promise<PythonValue> {
  const headers = { accept: 'application/json', ...call.headers };
  const answer = await callService({ ...call, headers }, context);
  try {
    return parsePythonJson(decodeText(answer));
  } catch (error) {
    throw new ComponentError(`${call.service} answered with something that is not JSON.`, error);
  }
}

/** As `callService`, and gives the answer's text. */
export async function callText(call: ServiceCall, context: ComponentContext): Promise<string> {
  return decodeText(await callService(call, context));
}
