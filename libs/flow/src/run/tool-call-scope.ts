import { AsyncLocalStorage } from 'node:async_hooks';

interface ToolCallScope {
  readonly path: string;
  readonly suffix: string;
  /** Identifies the call among all of its run. */
  readonly id: string;
}

/** One of the equal tool calls of an agent. */
interface NumberedCall {
  /** The place of the agent's vertex. */
  readonly caller: string;
  /** Identifies equal calls. */
  readonly call: string;
  /** Counts them, from 1. */
  readonly count: number;
}

const scopes = new AsyncLocalStorage<ToolCallScope>();

/**
 * Does the work of a tool call of an agent in a durable run. A further attempt repeats only the calls that were not recorded,
 * and so cannot count the effects of equal ones.
 */
export function withinToolCall<Result>({ caller, call, count }: NumberedCall, work: () => Result): Result {
  const outer = scopes.getStore();
  const own = count === 1 ? call : `${call} ${count}`;
  const path = outer === undefined ? own : `${outer.path}/${own}`;
  // Without one for a first call, whose effects an earlier release may have recorded.
  const suffix = outer !== undefined ? ` ${path}` : count === 1 ? '' : ` ${count}`;
  const id = `${outer === undefined ? '' : `${outer.id}/`}${caller} ${own}`;
  return scopes.run({ path, suffix, id }, work);
}

/** Returns what identifies the tool call of the current work among all of its run, the same in each attempt; null outside of one. */
export function toolCallId(): string | null {
  return scopes.getStore()?.id ?? null;
}

/** Returns what the name of an effect needs behind it, so that it differs from those of equal tool calls. */
export function toolCallSuffix(): string {
  return scopes.getStore()?.suffix ?? '';
}
