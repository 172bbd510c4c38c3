import type { ComponentContext } from '@millrace/flow';
import type { HttpAnswer, HttpCall } from './http-call';
import { readBody } from './read-body';
import { retryCall } from './retry-call';

/**
 * Makes a call and reads the whole answer, whatever its status. Calls that can safely be made again are, a few times.
 * Throws an HttpFailure when there is no answer, and what ended the run when that is why.
 */
export function callHttp(call: HttpCall, context: ComponentContext): Promise<HttpAnswer> {
  return retryCall(call, (response) => readAnswer(response, call), context);
}

/** The whole answer behind a response. */
export async function readAnswer(response: Response, call: HttpCall): Promise<HttpAnswer> {
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    url: response.url,
    body: await readBody(response, call),
  };
}
