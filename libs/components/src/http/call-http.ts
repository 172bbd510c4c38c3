import { setTimeout as wait } from 'node:timers/promises';
import type { ComponentContext } from '@millrace/flow';
import { describeFailure } from './describe-failure';
import { HttpFailure } from './http-failure';
import type { HttpAnswer, HttpCall } from './http-call';
import { readBody } from './read-body';
import { retryDelay } from './retry-delay';

const usualTimeoutMilliseconds = 60_000;

/**
 * Makes a call and reads the whole answer, whatever its status. Calls that can safely be made again are, a few times.
 * Throws an HttpFailure when there is no answer, and what ended the run when that is why.
 */
export async function callHttp(call: HttpCall, context: ComponentContext): Promise<HttpAnswer> {
  const { method = 'GET' } = call;
  const repeatable = call.repeatable ?? (method === 'GET' || method === 'HEAD');
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(call, context);
    const delay = retryDelay(outcome, {
      retries,
      repeatable,
      remainingMilliseconds: context.remainingMilliseconds(),
      random: Math.random(),
      now: new Date(),
    });
    if (delay === null) {
      if (outcome instanceof HttpFailure) throw outcome;
      return outcome;
    }
    await pause(delay, context.signal);
  }
}

async function attempt(call: HttpCall, context: ComponentContext): Promise<HttpAnswer | HttpFailure> {
  const { timeoutMilliseconds = usualTimeoutMilliseconds } = call;
  const ours = AbortSignal.timeout(
    Math.max(1, Math.min(timeoutMilliseconds, context.remainingMilliseconds())),
  );
  try {
    const response = await context.fetch(call.url, {
      method: call.method ?? 'GET',
      headers: call.headers ?? {},
      redirect: call.redirect ?? 'follow',
      signal: AbortSignal.any([context.signal, ours]),
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    return {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      url: response.url,
      body: await readBody(response, call),
    };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!ours.aborted) return describeFailure(error, call);
    const message = `${call.service} (${call.url.host}) did not answer in time.`;
    return new HttpFailure(message, 'timeout', { cause: error });
  }
}

/** Waits, unless the run ends before. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
