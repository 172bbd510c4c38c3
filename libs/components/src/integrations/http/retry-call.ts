import type { ComponentContext } from '@millrace/flow';
import { describeFailure } from './describe-failure';
import { HttpFailure } from './http-failure';
import type { HttpAnswer, HttpCall } from './http-call';
import { pause } from './pause';
import { retryDelay } from './retry-delay';

const defaultTimeoutMilliseconds = 60_000;

/**
 * Makes a call and reads its response. Retries calls that are safe to repeat a few times. The time limit of one try
 * includes reading the response. Rejects like `callHttp`.
 */
export async function retryCall<Answer extends Pick<HttpAnswer, 'status' | 'headers'>>(
  call: HttpCall,
  read: (response: Response) => Answer | Promise<Answer>,
  context: ComponentContext,
): Promise<Answer> {
  const { method = 'GET' } = call;
  const repeatable = call.repeatable ?? (method === 'GET' || method === 'HEAD');
  for (let retries = 0; ; retries += 1) {
    const outcome = await tryCall(call, read, context);
    const delay = retryDelay(outcome, {
      retries,
      repeatable,
      maximumRetries: call.maximumRetries ?? 2,
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

async function tryCall<Answer>(
  call: HttpCall,
  read: (response: Response) => Answer | Promise<Answer>,
  context: ComponentContext,
): Promise<Answer | HttpFailure> {
  const { timeoutMilliseconds = defaultTimeoutMilliseconds } = call;
  const timeout = AbortSignal.timeout(
    Math.max(1, Math.min(timeoutMilliseconds, context.remainingMilliseconds())),
  );
  try {
    const response = await context.fetch(call.url, {
      method: call.method ?? 'GET',
      headers: { ...call.headers, ...call.headersOfTry?.() },
      redirect: call.redirect ?? 'follow',
      signal: AbortSignal.any([context.signal, timeout]),
      ...(call.body === undefined ? {} : { body: call.body }),
    });
    return await read(response);
  } catch (error) {
    context.signal.throwIfAborted();
    return describeFailure(error, call);
  }
}
