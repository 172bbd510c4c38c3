import type { ValidationItem } from './validation-item';

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?$/;
/** Larger numbers are milliseconds, as in pydantic. */
const MAXIMUM_SECONDS = 20_000_000_000;

/** Parses ISO 8601 text or Unix seconds; UTC without an offset. Returns null for other values. */
export function parseDateTime(value: unknown): Date | null {
  if (typeof value === 'number') return fromUnix(value);
  if (typeof value !== 'string') return null;
  if (/^[+-]?\d{1,15}(\.\d{1,9})?$/.test(value)) return fromUnix(Number(value));
  const match = SHAPE.exec(value);
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', offset = 'Z'] = match;
  // JavaScript reads 31 February as a day in March, and 24:00 as the next day.
  if (!hasDay(year, month, day) || Number(hour) > 23) return null;
  const zone = /^[zZ]$/.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}${zone}`);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : date;
}

function hasDay(year = '', month = '', day = ''): boolean {
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return Number(year) >= 1 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/**
 * Formats a date as Python's isoformat does: `2026-01-31T10:00:00+00:00`, with microseconds only when they are not 0.
 */
export function pythonIsoFormat(date: Date): string {
  const text = date.toISOString();
  return date.getUTCMilliseconds() === 0 ? `${text.slice(0, 19)}+00:00` : `${text.slice(0, 23)}000+00:00`;
}

/** Formats a date as pydantic does in JSON: `2026-01-31T10:00:00Z`. */
export const pydanticTime = (date: Date): string => pythonIsoFormat(date).replace('+00:00', 'Z');

/** Returns the item for a value that is not a point in time. */
export function dateTimeItem(input: unknown, loc: readonly (string | number)[]): ValidationItem {
  if (typeof input !== 'string')
    return { type: 'datetime_type', loc, msg: 'Input should be a valid datetime', input };
  const [, year, month, day] = SHAPE.exec(input) ?? [];
  const isOutside = day !== undefined && Number(month) <= 12 && !hasDay(year, month, day);
  const error =
    input.length < 10
      ? 'input is too short'
      : isOutside
        ? 'day value is outside expected range'
        : 'invalid character in year';
  return {
    type: 'datetime_from_date_parsing',
    loc,
    msg: `Input should be a valid datetime or date, ${error}`,
    input,
    ctx: { error },
  };
}

function fromUnix(value: number): Date | null {
  const milliseconds = Math.abs(value) > MAXIMUM_SECONDS ? value : value * 1000;
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 1
    ? null
    : date;
}
