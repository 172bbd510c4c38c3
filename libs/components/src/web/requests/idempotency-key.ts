import { toolCallSuffix } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { HttpCall } from '../../integrations/http/http-call';
import { textDigest } from './text-digest';

/** The number of calls of each vertex in a run or in a part of it, keyed by its signal. */
const calls = new WeakMap<AbortSignal, Map<string, number>>();

/**
 * Returns the idempotency key of a call: run and vertex, the same in every attempt of the run. A vertex with several
 * calls numbers them; the calls of a language model, whose order can change, are distinguished by their content. Call
 * this function once for each call.
 */
export function idempotencyKey(
  { method = 'GET', url, body = '' }: Pick<HttpCall, 'method' | 'url' | 'body'>,
  context: ComponentContext,
): string {
  const { run, vertex } = context;
  const part = run.part === '' ? '' : `${textDigest(run.part)}:`;
  const key = `${run.id}:${part}${vertex.id}`;
  if (context.fields['tools_metadata'] !== undefined)
    return `${key}:${textDigest(method, url.href, body + toolCallSuffix())}`;
  const counts = calls.get(context.signal) ?? new Map<string, number>();
  calls.set(context.signal, counts);
  const count = (counts.get(vertex.id) ?? 0) + 1;
  counts.set(vertex.id, count);
  return count === 1 ? key : `${key}:${count}`;
}
