import type { ComponentContext } from '@millrace/flow';
import type { HttpCall } from '../http/http-call';
import { textDigest } from './text-digest';

/** How often each vertex has called in a run, or in a part of it; each is known by its signal. */
const calls = new WeakMap<AbortSignal, Map<string, number>>();

/**
 * What tells a server that a call is the same as one it has had: the run and the vertex, and the same in every attempt
 * of the run. A vertex that calls several times numbers its calls; one that a language model calls, in an order of its
 * own, tells them apart by what they say. To be asked for once for each call.
 */
export function idempotencyKey(
  { method = 'GET', url, body = '' }: Pick<HttpCall, 'method' | 'url' | 'body'>,
  context: ComponentContext,
): string {
  const { run, vertex } = context;
  const part = run.part === '' ? '' : `${textDigest(run.part)}:`;
  const key = `${run.id}:${part}${vertex.id}`;
  if (context.fields['tools_metadata'] !== undefined) return `${key}:${textDigest(method, url.href, body)}`;
  const counts = calls.get(context.signal) ?? new Map<string, number>();
  calls.set(context.signal, counts);
  const count = (counts.get(vertex.id) ?? 0) + 1;
  counts.set(vertex.id, count);
  return count === 1 ? key : `${key}:${count}`;
}
