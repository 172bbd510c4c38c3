/** Returns a time of the SDK in milliseconds. */
export function hrTimeMilliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
