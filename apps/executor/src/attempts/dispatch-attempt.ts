import { runAttempt } from './attempt';
import type { AttemptDependencies, DispatchOrder } from './attempt-order';
import type { AttemptOutcome } from './attempt-outcome';
import type { IsolatedAttempts } from './isolation/isolated-attempts';
import type { ResultCache } from './result-cache/result-cache';

/** The ways to execute an attempt. */
export interface AttemptRunners {
  readonly attempts: AttemptDependencies;
  readonly results: ResultCache;
  readonly isolation?: IsolatedAttempts | undefined;
}

/**
 * Executes an attempt, in this process or in a separate one. If its cache policy allows, it returns the outcome of an
 * earlier run instead. Never rejects.
 */
export function dispatchAttempt(
  { attempts, results, isolation }: AttemptRunners,
  order: DispatchOrder,
): Promise<AttemptOutcome> {
  if (order.isolated && isolation) return isolation.run(order);
  if (order.cache === undefined || order.request.stream) return runAttempt(attempts, order);
  return results.outcome(order, order.cache, (footprint) => runAttempt(attempts, { ...order, footprint }));
}
