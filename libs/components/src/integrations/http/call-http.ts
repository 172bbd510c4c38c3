import type { ComponentContext } from '@millrace/flow';
import type { HttpAnswer, HttpCall } from './http-call';
import { readBody } from './read-body';
import { retryCall } from './retry-call';

/**
 * Makes a call and reads the whole answer, whatever its status. Retries calls that are safe to repeat a few times.
 * Rejects with an HttpFailure when there is no answer, or with the reason for which the run ended.
 */
export function callHttp(call: HttpCall, context: ComponentContext): Promise<HttpAnswer> {
  return retryCall(call, (response) => readAnswer(response, call), context);
}

/** Reads the whole answer of a response. */
export async function readAnswer(response: Response, call: HttpCall): Promise<HttpAnswer> {
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    ...headerNamesOf(response),
    url: response.url,
    body: await readBody(response, call),
  };
}

function headerNamesOf({
  headerNames,
}: Response & Pick<HttpAnswer, 'headerNames'>): Pick<HttpAnswer, 'headerNames'> {
  return headerNames === undefined ? {} : { headerNames };
}
