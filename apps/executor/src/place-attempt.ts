import type { CachePolicy } from '@millrace/contracts';
import { runAttempt } from './attempt';
import type { AttemptDependencies, AttemptOrder, AttemptOutcome } from './attempt';
import type { IsolatedAttempts } from './isolation/isolated-attempts';
import type { ResultCache } from './result-cache/result-cache';

export interface PlacedOrder extends AttemptOrder {
  readonly flowVersion: number;
  /** True for an attempt that is not to be in this process, if there is another place. */
  readonly isolated: boolean;
  /** Absent for a run that is to do its work in any case. */
  readonly cache?: CachePolicy | undefined;
}

export interface AttemptPlaces {
  readonly attempts: AttemptDependencies;
  readonly results: ResultCache;
  readonly isolation?: IsolatedAttempts;
}

/**
 * Brings an attempt to its end where it belongs: here, or in a process of its own. When its order allows, the end is
 * that of an earlier run. Never rejects.
 */
export function placeAttempt(
  { attempts, results, isolation }: AttemptPlaces,
  order: PlacedOrder,
): Promise<AttemptOutcome> {
  if (order.isolated && isolation) return isolation.run(order);
  if (order.cache === undefined || order.request.stream) return runAttempt(attempts, order);
  return results.outcome(order, order.cache, (footprint) => runAttempt(attempts, { ...order, footprint }));
}
