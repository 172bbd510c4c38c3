import { ComponentError, Data } from '@millrace/flow';
import type { ComponentContext, PythonObject } from '@millrace/flow';
import { callHttp } from '../http/call-http';
import type { HttpCall } from '../http/http-call';
import { HttpFailure } from '../http/http-failure';
import { responseHeaders, responseResult, saveResponse } from './api-response';
import { followRedirects } from './follow-redirects';
import { idempotencyKey } from './idempotency-key';

export interface ApiRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Asked for by the request itself. */
  readonly followRedirects?: boolean;
}

export interface SendOptions {
  readonly timeoutMilliseconds: number;
  readonly followRedirects: boolean;
  /** Keeps the body as a file instead of giving it. */
  readonly saveToFile: boolean;
  /** Tells what was sent beside what came back. */
  readonly tellsRequest: boolean;
}

/**
 * Sends a request; the answer, whatever its status, is data, and so is the lack of one. Throws a ComponentError only for
 * an address that may not be called.
 */
export async function sendRequest(
  request: ApiRequest,
  options: SendOptions,
  context: ComponentContext,
): Promise<Data> {
  const { method, url, body } = request;
  const key = idempotencyKey({ method, url, body: body ?? '' }, context);
  const sending = { request, options, key };
  if (isSafe(request)) return exchange(sending, context);
  const effect = async () => (await exchange(sending, context)).data;
  return new Data(await context.effect('request', effect));
}

interface Sending {
  readonly request: ApiRequest;
  readonly options: SendOptions;
  /** Tells this call from all others, and is the same in each attempt. */
  readonly key: string;
}

async function exchange(sending: Sending, context: ComponentContext): Promise<Data> {
  const { request, options, key } = sending;
  const call = callOf(sending);
  const source = request.url.href;
  try {
    const follows = options.followRedirects || request.followRedirects === true;
    const { answer, history } = follows
      ? await followRedirects(call, context)
      : { answer: await callHttp(call, context), history: [] };
    return new Data({
      source,
      status_code: answer.status,
      response_headers: responseHeaders(answer),
      ...(history.length === 0 ? {} : { redirection_history: history.map((step) => ({ ...step })) }),
      ...(options.saveToFile
        ? { file_path: await saveResponse(answer, request.url, key, context) }
        : { result: responseResult(answer) }),
      ...(options.tellsRequest ? { headers: request.headers } : {}),
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.reason === 'refused') throw new ComponentError(`SSRF Protection: ${error.detail}`, error);
    context.log(`Error making request to ${request.url.host}`);
    return new Data({
      source,
      headers: blackened(request.headers),
      status_code: 500,
      error: error.message,
    });
  }
}

function callOf({ request, options, key }: Sending): HttpCall {
  const { url, method, body } = request;
  const call = {
    service: 'API Request',
    url,
    method,
    timeoutMilliseconds: options.timeoutMilliseconds,
    redirect: 'manual',
    ...(body === null ? {} : { body }),
  } as const;
  const hasOwnKey = Object.keys(request.headers).some((name) => name.toLowerCase() === 'idempotency-key');
  if (isSafe(request) || hasOwnKey) return { ...call, headers: request.headers };
  return { ...call, headers: { ...request.headers, 'Idempotency-Key': key } };
}

function isSafe({ method }: ApiRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

const credentials = /^(authorization|proxy-authorization|cookie|.*(api-?key|token|secret).*)$/i;

function blackened(headers: Readonly<Record<string, string>>): PythonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, credentials.test(name) ? '***' : value]),
  );
}
