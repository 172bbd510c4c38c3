import { zoneOffset } from './zone-offset';

const DAY_MILLISECONDS = 86_400_000;

/** What the wall clock of a zone shows, as the milliseconds since the epoch that UTC would show it at. */
export type WallTime = number;

/**
 * Returns the instants at which the clock of a zone shows a time, in order: one; none when the clock skips the time; two
 * when the clock shows it twice.
 */
export function instantsOf(zone: string, wall: WallTime): readonly number[] {
  const [before, after] = offsetsAround(zone, wall);
  const instants = before === after ? [wall - before] : [wall - before, wall - after];
  return instants.filter((instant) => instant + zoneOffset(zone, instant) === wall).sort((a, b) => a - b);
}

/** Returns the first instant after a time that the clock of a zone skips. */
export function endOfGap(zone: string, wall: WallTime): number {
  const [before, after] = offsetsAround(zone, wall);
  let low = wall - Math.max(before, after);
  let high = wall - Math.min(before, after);
  // The offset changes between the two instants; find where.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the offsets of a zone a day before and a day after the clock shows a time. */
export function offsetsAround(zone: string, wall: WallTime): readonly [before: number, after: number] {
  return [zoneOffset(zone, wall - DAY_MILLISECONDS), zoneOffset(zone, wall + DAY_MILLISECONDS)];
}
