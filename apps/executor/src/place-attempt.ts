import { runAttempt } from './attempt';
import type { AttemptDependencies, AttemptOrder, AttemptOutcome } from './attempt';
import type { IsolatedAttempts } from './isolation/isolated-attempts';

export interface PlacedOrder extends AttemptOrder {
  readonly flowVersion: number;
  /** True for an attempt that is not to be in this process, if there is another place. */
  readonly isolated: boolean;
}

/** Executes an attempt to its end where it belongs: here, or in a process of its own. Never rejects. */
export function placeAttempt(
  parts: { readonly attempts: AttemptDependencies; readonly isolation?: IsolatedAttempts },
  order: PlacedOrder,
): Promise<AttemptOutcome> {
  return order.isolated && parts.isolation ? parts.isolation.run(order) : runAttempt(parts.attempts, order);
}
