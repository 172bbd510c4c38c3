import { hashKey } from '@tanstack/react-query';
import type { QueryFunctionContext } from '@tanstack/react-query';

/** A question whose answer takes long is asked less often, so that the server is busy with it at most this part of the time. */
const MAXIMUM_SHARE = 1 / 50;
const MAXIMUM_QUESTIONS = 200;

/** How long the last answers took, in milliseconds, by the hash of their query. */
const durations = new Map<string, number>();

/** Measures how long the answers of a query take, for `every`. */
export function timed<Answer>(ask: (context: QueryFunctionContext) => Promise<Answer>) {
  return async (context: QueryFunctionContext): Promise<Answer> => {
    const began = performance.now();
    try {
      return await ask(context);
    } finally {
      if (durations.size >= MAXIMUM_QUESTIONS) durations.clear();
      durations.set(hashKey(context.queryKey), performance.now() - began);
    }
  };
}

/** Returns the `refetchInterval` of a query: these milliseconds, or more for one that takes long. */
export function every(milliseconds: number) {
  return ({ queryHash }: { readonly queryHash: string }): number =>
    Math.max(milliseconds, (durations.get(queryHash) ?? 0) / MAXIMUM_SHARE);
}
