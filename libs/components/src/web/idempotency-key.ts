import { createHash } from 'node:crypto';
import type { ComponentContext } from '@millrace/flow';
import type { HttpCall } from '../http/http-call';

/** How often each vertex has called in a run; a run is known by its signal. */
const calls = new WeakMap<AbortSignal, Map<string, number>>();

/**
 * What tells a server that a call is the same as one it has had: the run and the vertex, and the same in every attempt
 * of the run. A vertex that calls several times numbers its calls; one that a language model calls, in an order of its
 * own, tells them apart by what they say.
 */
export function idempotencyKey(
  { method = 'GET', url, body = '' }: HttpCall,
  context: ComponentContext,
): string {
  const key = `${context.run.id}:${context.vertex.id}`;
  if (context.fields['tools_metadata'] !== undefined) {
    const said = createHash('sha256').update(`${method}\n${url.href}\n`).update(body).digest('hex');
    return `${key}:${said.slice(0, 16)}`;
  }
  const counts = calls.get(context.signal) ?? new Map<string, number>();
  calls.set(context.signal, counts);
  const count = (counts.get(context.vertex.id) ?? 0) + 1;
  counts.set(context.vertex.id, count);
  return count === 1 ? key : `${key}:${count}`;
}
