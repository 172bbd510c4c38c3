import { AsyncLocalStorage } from 'node:async_hooks';

interface ToolCallScope {
  /** Identifies the call among all of its run. */
  readonly path: string;
  readonly suffix: string;
}

const scopes = new AsyncLocalStorage<ToolCallScope>();

/**
 * Does the work of the `count`-th of several equal tool calls of an agent in a durable run. `call` identifies equal calls. A
 * further attempt repeats only the calls that were not recorded, and so cannot count the effects of equal ones.
 */
export function withinToolCall<Result>(call: string, count: number, work: () => Result): Result {
  const outer = scopes.getStore();
  const own = count === 1 ? call : `${call} ${count}`;
  const path = outer === undefined ? own : `${outer.path}/${own}`;
  // Without one for a first call, whose effects an earlier release may have recorded.
  const suffix = outer !== undefined ? ` ${path}` : count === 1 ? '' : ` ${count}`;
  return scopes.run({ path, suffix }, work);
}

/** Returns what the name of an effect needs behind it, so that it differs from those of equal tool calls. */
export function toolCallSuffix(): string {
  return scopes.getStore()?.suffix ?? '';
}
