/**
 * What is left of a number of bytes when a value has been written as JSON, without its escapes; below 0 as soon as there
 * is nothing left, however much of the value would follow.
 */
export function bytesLeftAfter(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - Buffer.byteLength(value) - 2;
  if (typeof value !== 'object' || value === null) return bytes - 4;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      left = bytesLeftAfter(element, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const key in value) {
    left = bytesLeftAfter((value as Readonly<Record<string, unknown>>)[key], left - key.length - 4);
    if (left < 0) return left;
  }
  return left;
}
