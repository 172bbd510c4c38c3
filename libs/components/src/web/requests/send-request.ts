import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { callHttp } from '../../integrations/http/call-http';
import type { HttpCall } from '../../integrations/http/http-call';
import { HttpFailure } from '../../integrations/http/http-failure';
import { responseHeaders, responseResult, saveResponse } from './api-response';
import { followRedirects } from './follow-redirects';
import { idempotencyKey } from './idempotency-key';

export interface ApiRequest {
  readonly url: URL;
  /** The address as its author wrote it. */
  readonly source: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Set by the request itself. */
  readonly followRedirects?: boolean;
}

export interface SendOptions {
  readonly timeoutMilliseconds: number;
  readonly followRedirects: boolean;
  /** Stores the body as a file instead of returning it. */
  readonly saveToFile: boolean;
  /** Returns the request headers as well. */
  readonly includesRequestHeaders: boolean;
}

/**
 * Sends a request. The response, whatever its status, is returned as data, and so is an unreachable server. Throws a
 * ComponentError only for an address that is not allowed.
 */
export async function sendRequest(
  request: ApiRequest,
  options: SendOptions,
  context: ComponentContext,
): Promise<Data> {
  const { method, url, body } = request;
  const key = idempotencyKey({ method, url, body: body ?? '' }, context);
  const prepared = { request, options, key };
  if (isSafe(request)) return exchange(prepared, context);
  const effect = async () => (await exchange(prepared, context)).data;
  return new Data(await context.effect('request', effect));
}

interface PreparedRequest {
  readonly request: ApiRequest;
  readonly options: SendOptions;
  /** The idempotency key: distinct for each call, the same in each attempt. */
  readonly key: string;
}

async function exchange(prepared: PreparedRequest, context: ComponentContext): Promise<Data> {
  const { request, options, key } = prepared;
  const { source } = request;
  const call = callOf(prepared);
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
        : { result: responseResult(answer, context) }),
      ...(options.includesRequestHeaders ? { headers: request.headers } : {}),
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (error.reason === 'refused') throw new ComponentError(`SSRF Protection: ${error.detail}`, error);
    context.log(`Error making request to ${request.url.host}`);
    return new Data({
      source,
      headers: redactHeaders(request.headers),
      status_code: 500,
      error: error.message,
    });
  }
}

function callOf({ request, options, key }: PreparedRequest): HttpCall {
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

function redactHeaders(headers: Readonly<Record<string, string>>): PythonObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, credentials.test(name) ? '***' : value]),
  );
}
