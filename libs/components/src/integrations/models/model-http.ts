import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { callHttp } from '../http/call-http';
import { decodeText } from '../http/decode-text';
import type { HttpAnswer, HttpCall } from '../http/http-call';
import { streamAnswer, streamEvents } from '../http/stream-events';
import type { ModelEndpoint } from './model-endpoint';
import { modelRefusal } from './model-refusal';

/** Large enough for vectors of a few thousand numbers for a hundred texts. */
const maximumBytes = 64 * 1_048_576;

export interface ModelPost {
  /** The path after the endpoint's address, with a leading slash. */
  readonly path: string;
  readonly body: unknown;
}

/**
 * Sends a request to a model and returns the JSON of the answer. A rejection is a ComponentError with the provider's
 * text.
 */
export async function postToModel(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): Promise<PythonValue> {
  const answer = await callHttp(modelCall(endpoint, post), context);
  if (answer.status < 200 || answer.status > 299) throw modelRefusal(endpoint, answer);
  return parsed(endpoint, decodeText(answer));
}

/**
 * Sends a request to a model and yields the JSON of each event of the answer, up to `[DONE]`. Rejections are as above.
 */
export async function* streamFromModel(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): AsyncGenerator<PythonValue, void, undefined> {
  const call = modelCall(endpoint, post);
  for await (const text of streamEvents(call, (answer) => modelRefusal(endpoint, answer), context)) {
    if (text === '[DONE]') return;
    yield parsed(endpoint, text);
  }
}

/**
 * Sends a request to a model and yields the JSON of each line of the answer as it arrives. Rejections are as above.
 */
export async function* streamLinesFromModel(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): AsyncGenerator<PythonValue, void, undefined> {
  const call = modelCall(endpoint, post);
  const reader = {
    errorFor: (answer: HttpAnswer) => modelRefusal(endpoint, answer),
    read: (parts: AsyncIterable<Uint8Array>) => linesIn(parts, endpoint.provider),
  };
  for await (const line of streamAnswer(call, reader, context)) yield parsed(endpoint, line);
}

async function* linesIn(
  parts: AsyncIterable<Uint8Array>,
  provider: string,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
    if (rest.length > maximumBytes) throw new ComponentError(`${provider} sent a line that is too long.`);
  }
  if (rest.trim() !== '') yield rest;
}

/** A call with a body of JSON. */
export type ModelHttpCall = HttpCall & { readonly body: string };

/** Returns the call of an endpoint with its key, headers and query. */
export function modelCall(endpoint: ModelEndpoint, { path, body }: ModelPost): ModelHttpCall {
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
    // A repeated call costs tokens and changes no state, so it is safe.
    repeatable: true,
    maximumRetries: endpoint.maximumRetries,
  };
}

function parsed({ provider }: ModelEndpoint, text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch (error) {
    throw new ComponentError(`${provider} returned a response that is not JSON.`, error);
  }
}
