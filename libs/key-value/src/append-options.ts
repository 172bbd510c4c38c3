import type { AppendOptions } from './key-value-store';

/** A list is cut only when it is a quarter longer than it has to be: not with every entry once it is full. */
const SLACK = 1 / 4;

/** The length beyond which a list is cut. */
export function longestUncut({ maximumLength }: AppendOptions): number {
  return maximumLength + Math.ceil(maximumLength * SLACK);
}

/** Throws RangeError for limits that would mean something else to each store. */
export function checkAppendOptions({ maximumLength, ttlMilliseconds }: AppendOptions): void {
  if (!Number.isInteger(maximumLength) || maximumLength < 1) {
    throw new RangeError(`maximumLength must be a positive integer, not ${maximumLength}`);
  }
  if (!(ttlMilliseconds > 0))
    throw new RangeError(`ttlMilliseconds must be positive, not ${ttlMilliseconds}`);
}
