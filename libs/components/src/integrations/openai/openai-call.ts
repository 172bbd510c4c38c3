import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { bodyParts, readBody } from '../http/read-body';
import { describeFailure } from '../http/describe-failure';
import { HttpFailure } from '../http/http-failure';
import { pause } from '../http/pause';
import { eventsIn } from '../http/stream-events';
import type { ModelEndpoint } from '../models/model-endpoint';
import { modelCall } from '../models/model-http';
import type { ModelHttpCall, ModelPost } from '../models/model-http';
import { refusalError, reportedError } from './openai-error';
import { delayBeforeRetry, isTransient } from './openai-retry';

/**
 * Sends a request in OpenAI's protocol and returns the JSON of the answer. Retries transient failures as OpenAI's clients
 * do. Rejects with a ComponentError with the provider's text, or with the reason for which the run ended.
 */
export async function callOpenAi(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): Promise<PythonValue> {
  const call = modelCall(endpoint, post);
  const response = await answered(call, context);
  const body = await duringCall(readBody(response, call), call, context);
  return parsed(endpoint, body.toString());
}

/** Sends such a request and yields the JSON of each event of the answer, up to `[DONE]`. Rejects in the same way. */
export async function* streamOpenAi(
  endpoint: ModelEndpoint,
  post: ModelPost,
  context: ComponentContext,
): AsyncGenerator<PythonValue, void, undefined> {
  const call = modelCall(endpoint, post);
  const response = await answered(call, context);
  try {
    for await (const text of eventsIn(bodyParts(response), call)) {
      if (text === '[DONE]') return;
      const event = parsed(endpoint, text);
      const error = reportedError(event);
      if (error !== null) throw error;
      yield event;
    }
  } catch (error) {
    throw failure(error, call, context);
  }
}

/** Resolves to a response with a success status, whose body is unread. */
async function answered(call: ModelHttpCall, context: ComponentContext): Promise<Response> {
  const { maximumRetries = 0 } = call;
  for (let retries = 0; ; retries += 1) {
    const outcome = await answerOrFailure(call, context);
    const isFailure = outcome instanceof ComponentError;
    if (!isFailure && outcome.ok) return outcome;
    const isRepeated = retries < maximumRetries && (isFailure ? !isRefused(outcome) : isTransient(outcome));
    const headers = isFailure ? null : outcome.headers;
    const delay = isRepeated
      ? delayBeforeRetry({ headers, retries, random: Math.random(), now: new Date() })
      : Infinity;
    if (delay >= context.remainingMilliseconds()) {
      if (isFailure) throw outcome;
      const body = await duringCall(readBody(outcome, call), call, context);
      throw refusalError(outcome.status, body.toString());
    }
    // An unread body occupies its connection.
    if (!isFailure) await readBody(outcome, call).catch(() => undefined);
    await pause(delay, context.signal);
  }
}

async function answerOrFailure(
  call: ModelHttpCall,
  context: ComponentContext,
): Promise<Response | ComponentError> {
  const timeout = tryTimeout(call, context);
  try {
    return await context.fetch(call.url, {
      method: 'POST',
      headers: { accept: 'application/json', ...call.headers },
      body: call.body,
      ...(timeout !== null && { signal: timeout.signal }),
    });
  } catch (error) {
    return failure(error, call, context);
  } finally {
    timeout?.clear();
  }
}

/** Returns the time limit until a try has its status; null when the run ends before, which ends the try as well. */
function tryTimeout({ timeoutMilliseconds = Infinity }: ModelHttpCall, context: ComponentContext) {
  if (timeoutMilliseconds >= context.remainingMilliseconds()) return null;
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException('The try timed out.', 'TimeoutError')),
    timeoutMilliseconds,
  );
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

async function duringCall<Result>(
  work: Promise<Result>,
  call: ModelHttpCall,
  context: ComponentContext,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw failure(error, call, context);
  }
}

/** Throws the reason why the run ended, if it did; otherwise returns the error in the words of OpenAI's clients. */
function failure(error: unknown, call: ModelHttpCall, context: ComponentContext): ComponentError {
  context.signal.throwIfAborted();
  if (error instanceof ComponentError && !(error instanceof HttpFailure)) return error;
  const described = describeFailure(error, call);
  if (described.reason === 'too_large') return described;
  if (described.reason === 'refused')
    return new ComponentError(`Connection error: ${described.message}`, described);
  return new ComponentError(
    described.reason === 'timeout' ? 'Request timed out.' : 'Connection error.',
    described,
  );
}

/** Returns whether the operator does not allow the address; a further try is refused as well. */
function isRefused({ cause }: ComponentError): boolean {
  return cause instanceof HttpFailure && cause.reason === 'refused';
}

function parsed({ provider }: ModelEndpoint, text: string): PythonValue {
  try {
    return JSON.parse(text) as PythonValue;
  } catch (error) {
    throw new ComponentError(`${provider} returned a response that is not JSON.`, error);
  }
}
