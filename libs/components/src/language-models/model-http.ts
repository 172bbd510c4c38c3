import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PythonValue } from '@millrace/flow';
import { callHttp } from '../http/call-http';
import { decodeText } from '../http/decode-text';
import type { HttpCall } from '../http/http-call';
import { streamEvents } from '../http/stream-events';
import type { ModelEndpoint } from './model-endpoint';
import { modelRefusal } from './model-refusal';

/** Vectors of a few thousand numbers for a hundred texts fit. */
const maximumBytes = 64 * 1_048_576;

export interface ModelPost {
  /** What follows the endpoint's address, with a slash before it. */
  readonly path: string;
  readonly body: unknown;
}

/** Sends a request to a model and gives the answer's JSON. A refusal is a ComponentError with the provider's words. */
export async function postToModel(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): Promise<PythonValue> {
  const answer = await callHttp(callOf(endpoint, post), context);
  if (answer.status < 200 || answer.status > 299) throw modelRefusal(endpoint, answer);
  return parsed(endpoint, decodeText(answer));
}

/** Sends a request to a model and gives the JSON of each event of the answer, up to `[DONE]`. Refused as above. */
export async function* streamFromModel(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): AsyncGenerator<PythonValue, void, undefined> {
  const call = callOf(endpoint, post);
  for await (const text of streamEvents(call, (answer) => modelRefusal(endpoint, answer), context)) {
    if (text === '[DONE]') return;
    yield parsed(endpoint, text);
  }
}

function callOf(endpoint: ModelEndpoint, { path, body }: ModelPost): HttpCall {
  const url = new URL(endpoint.baseUrl + path);
  for (const [name, value] of Object.entries(endpoint.query)) url.searchParams.set(name, value);
  const { apiKey, keyHeader } = endpoint;
  const key =
    keyHeader === null ? { authorization: `Bearer ${apiKey.reveal()}` } : { [keyHeader]: apiKey.reveal() };
  return {
    service: endpoint.provider,
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...endpoint.headers, ...key },
    body: JSON.stringify(body),
    timeoutMilliseconds: endpoint.timeoutMilliseconds,
    maximumBytes,
    // Asking twice costs tokens and changes nothing.
    repeatable: true,
    maximumRetries: endpoint.maximumRetries,
  };
}

function parsed({ provider }: ModelEndpoint, text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch (error) {
    throw new ComponentError(`${provider} answered with something that is not JSON.`, error);
  }
}
