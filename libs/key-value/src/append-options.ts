import type { AppendOptions } from './key-value-store';

/** Throws RangeError for limits that would mean something else to each store. */
export function checkAppendOptions({ maximumLength, ttlMilliseconds }: AppendOptions): void {
  if (!Number.isInteger(maximumLength) || maximumLength < 1) {
    throw new RangeError(`maximumLength must be a positive integer, not ${maximumLength}`);
  }
  if (!(ttlMilliseconds > 0))
    throw new RangeError(`ttlMilliseconds must be positive, not ${ttlMilliseconds}`);
}
