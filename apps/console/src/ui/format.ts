const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const WHOLE = new Intl.NumberFormat();

const STEPS: readonly (readonly [limit: number, seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [86_400, 3_600, 'hour'],
  [86_400 * 30, 86_400, 'day'],
  [86_400 * 365, 86_400 * 30, 'month'],
  [Infinity, 86_400 * 365, 'year'],
];

/** `2 min. ago`, `in 3 days`. */
export function relativeTime(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [limit, size, unit] of STEPS)
    if (Math.abs(seconds) < limit) return RELATIVE.format(Math.round(seconds / size), unit);
  return iso;
}

export const exactTime = (iso: string): string => EXACT.format(new Date(iso));

/** A duration with two or three digits: `0.4 ms`, `38 ms`, `1.24 s`, `3 m 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds === 0) return '0 ms';
  if (milliseconds < 10)
    return `${milliseconds < 0.1 ? milliseconds.toFixed(2) : milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}

/** The time between two ISO times, or undefined when one is missing. */
export function between(from: string | null | undefined, to: string | null | undefined): number | undefined {
  if (!from || !to) return undefined;
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

export const count = (value: number): string => WHOLE.format(value);

export function cost(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return '–';
  if (dollars === 0) return '$0';
  if (dollars < 0.0001) return '<$0.0001';
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2)}`;
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value < 1024) return `${value} B`;
  return value < 1_048_576 ? `${(value / 1024).toFixed(1)} KiB` : `${(value / 1_048_576).toFixed(1)} MiB`;
}

/** The end of an id, which is the part that differs between ids of the same second. */
export const shortId = (id: string): string => id.slice(-8);

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
