import type { AppendOptions } from './key-value-store';

/**
 * A list is trimmed only when it exceeds its maximum by a quarter, so that a full list is not trimmed on each append.
 */
const SLACK = 1 / 4;

/** Returns the length beyond which a list is trimmed. */
export function trimThreshold({ maximumLength }: AppendOptions): number {
  return maximumLength + Math.ceil(maximumLength * SLACK);
}

/** Throws RangeError for limits that the stores would interpret differently. */
export function checkAppendOptions({ maximumLength, ttlMilliseconds }: AppendOptions): void {
  if (!Number.isInteger(maximumLength) || maximumLength < 1) {
    throw new RangeError(`maximumLength must be a positive integer, not ${maximumLength}`);
  }
  if (!(ttlMilliseconds > 0))
    throw new RangeError(`ttlMilliseconds must be positive, not ${ttlMilliseconds}`);
}
