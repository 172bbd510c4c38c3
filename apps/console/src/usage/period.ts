const HOUR = 3_600_000;
const DAY = 86_400_000;
/** The API sums by hour over at most this time. */
const MAXIMUM_HOURLY = 32 * DAY;
/** A chart of a longer time has a bar for each day. */
const MAXIMUM_HOURLY_CHART = 2 * DAY;
/** The API keeps counts for this time. */
const MAXIMUM_DAYS = 400;

export type Interval = 'hour' | 'day';

/** A time of whole hours, whose days are those of UTC, as the counts have them. */
export interface Period {
  readonly from: number;
  readonly before: number;
  /** Of the bars of a chart. */
  readonly interval: Interval;
  readonly canBeHourly: boolean;
}

export const PERIODS: readonly (readonly [value: string, title: string])[] = [
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['month', 'This month'],
  ['last-month', 'Last month'],
  ['365d', 'Last 365 days'],
];
export const DEFAULT_PERIOD = '7d';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Midnight of a day such as `2026-11-29`; undefined for a text that is none. */
function midnightOf(text: string | null): number | undefined {
  const at = text !== null && DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The days of the address, both of them included; undefined unless they are a time that the API sums. */
export function chosenDays(parameters: URLSearchParams): Pick<Period, 'from' | 'before'> | undefined {
  const from = midnightOf(parameters.get('from'));
  const last = midnightOf(parameters.get('to'));
  if (from === undefined || last === undefined || last < from) return undefined;
  const before = last + DAY;
  return before - from > MAXIMUM_DAYS * DAY ? undefined : { from, before };
}

/** The period that an address names; the last seven days for one that names none. */
export function periodOf(parameters: URLSearchParams, now: number): Period {
  const { from, before } = chosenDays(parameters) ?? presetOf(parameters.get('period') ?? '', now);
  return {
    from,
    before,
    interval: before - from <= MAXIMUM_HOURLY_CHART ? 'hour' : 'day',
    canBeHourly: before - from <= MAXIMUM_HOURLY,
  };
}

function presetOf(value: string, now: number): Pick<Period, 'from' | 'before'> {
  // The end of this hour, so that the question stays the same within it.
  const before = (Math.floor(now / HOUR) + 1) * HOUR;
  const today = new Date(now);
  const month = (offset: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + offset);
  if (value === '24h') return { from: before - DAY, before };
  if (value === 'month') return { from: month(0), before };
  if (value === 'last-month') return { from: month(-1), before: month(0) };
  const days = value === '30d' || value === '365d' ? parseInt(value, 10) : 7;
  return { from: (Math.floor(now / DAY) + 1 - days) * DAY, before };
}

/** The beginnings of all intervals of a period. */
export function startsOf({ from, before }: Period, interval: Interval): readonly number[] {
  const length = interval === 'hour' ? HOUR : DAY;
  const first = Math.floor(from / length) * length;
  return Array.from({ length: Math.ceil((before - first) / length) }, (_, index) => first + index * length);
}

export const lengthOf = (interval: Interval): number => (interval === 'hour' ? HOUR : DAY);
