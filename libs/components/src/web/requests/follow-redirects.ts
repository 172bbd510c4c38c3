import type { ComponentContext } from '@millrace/flow';
import { callHttp } from '../../integrations/http/call-http';
import type { HttpAnswer, HttpCall } from '../../integrations/http/http-call';

const maximumRedirects = 10;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const credentials: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** A redirect: its status and its target. */
export interface Redirection {
  readonly url: string;
  readonly status_code: number;
}

/**
 * Sends a request and follows redirects; each target is checked like the first. Credentials are not sent to other
 * origins.
 */
export async function followRedirects(
  call: HttpCall,
  context: ComponentContext,
): Promise<{ readonly answer: HttpAnswer; readonly history: readonly Redirection[] }> {
  const history: Redirection[] = [];
  let current: HttpCall = { ...call, redirect: 'manual' };
  for (;;) {
    const answer = await callHttp(current, context);
    const location = answer.headers.get('location');
    if (location === null || !redirects.has(answer.status) || history.length === maximumRedirects)
      return { answer, history };
    if (!URL.canParse(location, current.url.href)) return { answer, history };
    history.push({ url: location, status_code: answer.status });
    current = redirected(current, new URL(location, current.url), answer.status);
  }
}

function redirected({ body, ...call }: HttpCall, url: URL, status: number): HttpCall {
  const { method = 'GET', headers = {} } = call;
  const kept = Object.entries(headers).filter(
    ([name]) => url.origin === call.url.origin || !credentials.has(name.toLowerCase()),
  );
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST');
  if (!becomesGet)
    return { ...call, url, headers: Object.fromEntries(kept), ...(body === undefined ? {} : { body }) };
  const withoutBody = kept.filter(([name]) => !name.toLowerCase().startsWith('content-'));
  return { ...call, url, method: 'GET', headers: Object.fromEntries(withoutBody) };
}
