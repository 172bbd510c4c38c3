/** The texts of the pages are English. Dates and numbers have the reader's English form, or the British one. */
export function englishOf(languages: readonly string[]): string {
  return languages.find((language) => /^en(-|$)/i.test(language)) ?? 'en-GB';
}

const LOCALE = englishOf(typeof navigator === 'undefined' ? [] : navigator.languages);
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'long' });
const DATE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const UTC_DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const INTERVAL = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const DOLLARS = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const WHOLE = new Intl.NumberFormat(LOCALE);
const DAY_SECONDS = 86_400;
/** A time that is further away is a date. */
const MAXIMUM_DAYS = 30;

/** The distance between two times in its largest unit; undefined when a date says more. */
function distance(milliseconds: number): string | undefined {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < DAY_SECONDS) return `${Math.floor(seconds / 3_600)} h`;
  const days = Math.floor(seconds / DAY_SECONDS);
  return days < MAXIMUM_DAYS ? plural(days, 'day') : undefined;
}

/** What a time on a page is: of something that has happened, of something that is to happen, or of the end of a permission. */
export type TimeKind = 'past' | 'due' | 'expiry';

/** `now`, `2 min ago`, `in 3 days`, `8 min overdue`, `expired 2 h ago`, or a date. `now` is the server's time. */
export function relativeTime(iso: string, now: number, kind: TimeKind = 'past'): string {
  const at = Date.parse(iso);
  // The clocks of several machines differ: what has happened is never in the future.
  const ahead = kind === 'past' ? Math.min(0, at - now) : at - now;
  const away = distance(Math.abs(ahead));
  if (away === undefined) return kind === 'expiry' && ahead < 0 ? `expired on ${date(iso)}` : date(iso);
  if (away === '0 s') return 'now';
  if (ahead > 0) return `in ${away}`;
  if (kind === 'due') return `${away} overdue`;
  return kind === 'expiry' ? `expired ${away} ago` : `${away} ago`;
}

const date = (iso: string): string => DATE.format(new Date(iso));

export const exactTime = (iso: string): string => EXACT.format(new Date(iso));

/** The time between two others, in Unix milliseconds. */
export const interval = (from: number, before: number): string => INTERVAL.formatRange(from, before);

/** A day of UTC, in Unix milliseconds. */
export const utcDay = (start: number): string => UTC_DAY.format(start);

/** The zone of all times on the pages, such as `Europe/Lisbon`. */
export const ZONE = EXACT.resolvedOptions().timeZone;

/** The labels of an axis of Unix seconds: times of the day, and the date where another day begins. */
export function axisLabels(seconds: readonly number[]): string[] {
  const days = seconds.map((each) => DAY.format(each * 1_000));
  // A day can have 23 hours.
  const isDaily = (seconds[1] ?? 0) - (seconds[0] ?? 0) >= DAY_SECONDS - 3_600;
  return seconds.map((each, place) => {
    const day = days[place] ?? '';
    return isDaily || (place > 0 && day !== days[place - 1]) ? day : CLOCK.format(each * 1_000);
  });
}

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

/** A duration that goes on, in whole seconds: `4 s`, `3 m 20 s`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

/** The time that is left until something: `2 days left`, `3 m 20 s left`. */
export function timeLeft(milliseconds: number): string {
  if (milliseconds <= 0) return 'none';
  const days = Math.floor(milliseconds / (DAY_SECONDS * 1_000));
  return `${days >= 2 ? plural(days, 'day') : elapsed(milliseconds)} left`;
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
  if (dollars >= 1) return `$${DOLLARS.format(dollars)}`;
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : 3)}`;
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

/** A time as a field of a form has it, in the reader's zone. */
export function toFieldTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The time of a field, with its zone. */
export const fromFieldTime = (text: string): string => new Date(text).toISOString();
