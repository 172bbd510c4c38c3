/**
 * Returns how many of the given bytes remain after a value is written as JSON, without counting escapes. Stops as soon
 * as the result is below 0.
 */
export function remainingBytesAfterJson(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - Buffer.byteLength(value) - 2;
  if (typeof value !== 'object' || value === null) return bytes - 4;
  let remaining = bytes - 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      remaining = remainingBytesAfterJson(element, remaining - 1);
      if (remaining < 0) return remaining;
    }
    return remaining;
  }
  for (const key in value) {
    remaining = remainingBytesAfterJson(
      (value as Readonly<Record<string, unknown>>)[key],
      remaining - key.length - 4,
    );
    if (remaining < 0) return remaining;
  }
  return remaining;
}
