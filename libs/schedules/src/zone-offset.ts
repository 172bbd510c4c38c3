import { LRUCache } from 'lru-cache';

/** Offsets of all zones change at multiples of this. */
const SLOT_MILLISECONDS = 900_000;
const MAXIMUM_FORMATS = 600;
const MAXIMUM_OFFSETS = 50_000;
const MAXIMUM_NAME_LENGTH = 64;

const formats = new LRUCache<string, Intl.DateTimeFormat>({
  maxSize: MAXIMUM_FORMATS,
  sizeCalculation: () => 1,
});
const offsets = new LRUCache<string, number>({ maxSize: MAXIMUM_OFFSETS, sizeCalculation: () => 1 });

/** Whether a text is the name of a zone in the IANA database, such as `Europe/Lisbon`. Fixed offsets are no names. */
export function isZone(name: string): boolean {
  if (name.length > MAXIMUM_NAME_LENGTH || !/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns how far the wall clock of a zone is ahead of UTC at an instant, in milliseconds. Instants are milliseconds since
 * the epoch.
 */
export function zoneOffset(zone: string, instant: number): number {
  if (zone === 'UTC') return 0;
  const slot = Math.floor(instant / SLOT_MILLISECONDS);
  const key = `${slot} ${zone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = readOffset(zone, slot * SLOT_MILLISECONDS);
  offsets.set(key, offset);
  return offset;
}

function readOffset(zone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}
