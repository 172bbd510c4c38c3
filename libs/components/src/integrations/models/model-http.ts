import { ComponentError } from '@millrace/flow';
import type { ComponentContext, PricedCall, SpendReservation } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { describeFailure } from '../http/describe-failure';
import type { HttpCall } from '../http/http-call';
import { HttpFailure } from '../http/http-failure';
import { pause } from '../http/pause';
import { bodyParts, readBody } from '../http/read-body';
import { textOf } from '../http/stream-events';
import { IncompleteAnswer, missingAnswer, ModelRefusal, refusalError, reportedError } from './model-failure';
import type { Answering } from './model-failure';
import type { ModelEndpoint } from './model-endpoint';
import { delayBeforeRetry, isTransient } from './model-retry';
import { embeddingUsage, pricedEmbedding } from './priced-call';
import { TryLimit } from './try-limit';

/** Large enough for vectors of a few thousand numbers for a hundred texts. */
const maximumBytes = 64 * 1_048_576;
const maximumRefusalBytes = 65_536;

export interface ModelPost {
  /** The path after the endpoint's address, with a leading slash. */
  readonly path: string;
  readonly body: unknown;
}

/** A call of a model, with a body of JSON. */
export interface ModelCall extends HttpCall, Answering {
  readonly body: string;
  /** Whether the reader of the response returns before its end; it then ends the limit of the try. */
  readonly streams?: boolean;
}

/** Returns the call of an endpoint with its key, headers and query. */
export function modelCall(endpoint: ModelEndpoint, { path, body }: ModelPost): ModelCall {
  const url = new URL(endpoint.baseUrl + path);
  for (const [name, value] of Object.entries(endpoint.query)) url.searchParams.set(name, value);
  const { keyHeader } = endpoint;
  const key = endpoint.apiKey.reveal();
  return {
    service: endpoint.provider,
    url,
    headers: {
      'content-type': 'application/json',
      ...endpoint.headers,
      ...(keyHeader === null ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }),
    },
    body: JSON.stringify(body),
    timeoutMilliseconds: endpoint.timeoutMilliseconds,
    maximumBytes,
    maximumRetries: endpoint.maximumRetries,
    secrets: [key],
    exceptions: endpoint.exceptions,
  };
}

/** An endpoint with the model that is called there. */
export interface CalledEndpoint extends ModelEndpoint {
  readonly model: string;
}

/** Sends texts to a model and returns the JSON of the answer, which has their vectors. Rejects like `callModel`. */
export function postToModel(
  endpoint: CalledEndpoint,
  post: ModelPost,
  context: ComponentContext,
): Promise<PythonValue> {
  return postCall(modelCall(endpoint, post), endpoint.model, context);
}

/** Makes a call for the vectors of texts and returns the JSON of the answer. Rejects like `callModel`. */
export function postCall(call: ModelCall, model: string, context: ComponentContext): Promise<PythonValue> {
  return callModel(
    call,
    {
      price: () => pricedEmbedding(call, model),
      async read(response, _limit, reservation) {
        const answer = jsonIn(textOf(await readBody(response, call), response.headers), call);
        await reservation?.settle(embeddingUsage(answer));
        return answer;
      },
    },
    context,
  );
}

/** Returns the JSON of an answer. Throws a ComponentError for another text and for an error of the provider. */
function jsonIn(text: string, call: ModelCall): PythonValue {
  let value: PythonValue;
  try {
    value = JSON.parse(text) as PythonValue;
  } catch {
    throw missingAnswer(text, call);
  }
  const error = reportedError(value, call);
  if (error !== null) throw error;
  return value;
}

/** What a call costs at most, and how its answer is read. */
interface AnswerReader<Result> {
  readonly price: () => PricedCall;
  /** Reads the response of a try, which has a success status, and settles its reservation, or returns it to do so later. */
  read(response: Response, limit: TryLimit, reservation: SpendReservation | null): Promise<Result>;
}

/** A provider charges nothing for what it refuses or never gets. */
const NOTHING = { input_tokens: 0, output_tokens: 0 };

/**
 * Sends a request to a model and reads the response, which has a success status. Retries transient failures, also those
 * of reading, as OpenAI's clients do; a repeated call costs tokens, of which each try reserves its own, and changes no state.
 * Rejects with a ComponentError with the provider's text, with the reason for which the run ended, or because of a budget.
 */
export async function callModel<Result>(
  call: ModelCall,
  { price, read }: AnswerReader<Result>,
  context: ComponentContext,
): Promise<Result> {
  const { maximumRetries = 0 } = call;
  for (let retries = 0; ; retries += 1) {
    const reserving = context.spending?.reserve(price) ?? null;
    const reservation = reserving === null ? null : await reserving;
    const limit = new TryLimit(call, context);
    let response: Response | null = null;
    let failure: ComponentError;
    try {
      response = await context.fetch(call.url, {
        method: 'POST',
        headers: { accept: 'application/json', ...call.headers, ...call.headersOfTry?.() },
        body: call.body,
        ...(limit.signal !== null && { signal: limit.signal }),
      });
      if (!response.ok) throw await refusalOf(response, call);
      const result = await read(response, limit, reservation);
      if (call.streams !== true) limit.end();
      return result;
    } catch (error) {
      limit.end();
      await reservation?.settle(isCharged(error, response, call) ? null : NOTHING);
      failure = modelFailure(error, call, {
        context,
        isStreaming: response !== null && call.streams === true,
      });
    }
    const headers = response?.headers ?? null;
    const isRepeated = retries < maximumRetries && isRepeatable(failure, headers);
    const delay = isRepeated
      ? delayBeforeRetry({ headers, retries, random: Math.random(), now: new Date() })
      : Infinity;
    if (delay >= context.remainingMilliseconds()) throw failure;
    await pause(delay, context.signal);
  }
}

/** Throws the reason why the run ended, if it did; otherwise returns the error, in the words of the provider's client. */
export function modelFailure(
  error: unknown,
  call: ModelCall,
  { context, isStreaming }: { readonly context: ComponentContext; readonly isStreaming: boolean },
): ComponentError {
  context.signal.throwIfAborted();
  if (error instanceof ComponentError && !(error instanceof HttpFailure)) return error;
  const described = describeFailure(error, call);
  const { reason, permanent, message } = described;
  if (reason === 'too_large') return described;
  const isLate = reason === 'timeout';
  const { text, ...exception } =
    call.exceptions?.[isLate ? 'timedOut' : isStreaming ? 'broken' : 'disconnected'] ?? {};
  const words = `${isLate ? 'Request timed out' : 'Connection error'}: ${message}`;
  // No client knows addresses that are not allowed.
  return new ComponentError(reason === 'refused' ? words : (text ?? words), described, {
    permanent,
    ...exception,
  });
}

/** Whether a failed try can have cost something. */
function isCharged(error: unknown, response: Response | null, call: ModelCall): boolean {
  return response === null ? !describeFailure(error, call).neverSent : response.ok;
}

function isRepeatable({ cause }: ComponentError, headers: Headers | null): boolean {
  if (cause instanceof IncompleteAnswer) return true;
  if (cause instanceof ModelRefusal) {
    return isTransient({ status: cause.status, headers: headers ?? new Headers() });
  }
  return cause instanceof HttpFailure && !cause.permanent;
}

/** An error is in the beginning of a body, however long the body is. */
async function refusalOf(response: Response, call: ModelCall): Promise<ComponentError> {
  const { status, statusText, headers, url } = response;
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of bodyParts(response)) {
      parts.push(part);
      length += part.length;
      if (length > maximumRefusalBytes) break;
    }
  } catch {
    // The status is the error, with or without a body.
  }
  return refusalError({ status, statusText, headers, url, body: Buffer.concat(parts) }, call);
}
