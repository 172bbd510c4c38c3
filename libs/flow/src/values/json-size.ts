/** The most bytes that a unit of UTF-16 takes in UTF-8. */
const MAXIMUM_BYTES_A_UNIT = 3;

/**
 * Returns whether a value takes at most so many bytes as JSON, without counting escapes. Stops as soon as it takes more.
 */
export function isJsonWithin(value: unknown, bytes: number): boolean {
  // Most values are so small that no text has to be measured.
  return (
    remainingBytes(value, bytes, maximumBytesOf) >= 0 || remainingBytes(value, bytes, Buffer.byteLength) >= 0
  );
}

function maximumBytesOf(text: string): number {
  return text.length * MAXIMUM_BYTES_A_UNIT;
}

/** Returns how many of the bytes remain; stops as soon as the result is below 0. */
function remainingBytes(value: unknown, bytes: number, bytesOf: (text: string) => number): number {
  if (typeof value === 'string') return bytes - bytesOf(value) - 2;
  if (typeof value !== 'object' || value === null) return bytes - 4;
  let remaining = bytes - 2;
  if (remaining < 0) return remaining;
  if (Array.isArray(value)) {
    for (const element of value) {
      remaining = remainingBytes(element, remaining - 1, bytesOf);
      if (remaining < 0) return remaining;
    }
    return remaining;
  }
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    remaining = remainingBytes(member, remaining - key.length - 4, bytesOf);
    if (remaining < 0) return remaining;
  }
  return remaining;
}
