const MINUTE = 60_000;

/**
 * Lists the occurrences of a cron expression in a span of time, by the rules and minute for minute: slow, and without the
 * library that the product uses. Numbers, lists, ranges and steps only.
 */
export function everyOccurrence(
  cron: string,
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const matches = matcher(cron);
  const isHourly = cron.split(' ')[1]?.startsWith('*') === true;
  const clock = clockOf(zone);
  const occurrences: number[] = [];
  let latest = clock(from - MINUTE);
  for (let instant = from; instant < to; instant += MINUTE) {
    const wall = clock(instant);
    if (isHourly) {
      if (matches(wall)) occurrences.push(instant);
      continue;
    }
    let occurs = false;
    for (let shown = latest + MINUTE; shown <= wall; shown += MINUTE) occurs ||= matches(shown);
    if (occurs) occurrences.push(instant);
    latest = Math.max(latest, wall);
  }
  return occurrences;
}

function clockOf(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const hours = new Map<number, number>();
  return (instant) => {
    // Clocks of the zones under test change at half hours.
    const half = Math.floor(instant / (30 * MINUTE)) * 30 * MINUTE;
    let wall = hours.get(half);
    if (wall === undefined) {
      wall = Date.parse(`${format.format(half).replace(' ', 'T')}Z`);
      hours.set(half, wall);
    }
    return wall + instant - half;
  };
}

function matcher(cron: string): (wall: number) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ');
  const fields = {
    minute: valuesOf(minute, 0, 59),
    hour: valuesOf(hour, 0, 23),
    day: valuesOf(day, 1, 31),
    month: valuesOf(month, 1, 12),
    weekday: valuesOf(weekday, 0, 6),
  };
  const isEitherDay = day !== '*' && weekday !== '*';
  return (wall) => {
    // The minute first: it excludes most times without a date.
    if (!fields.minute.has((wall / MINUTE) % 60)) return false;
    const date = new Date(wall);
    const byDay = fields.day.has(date.getUTCDate());
    const byWeekday = fields.weekday.has(date.getUTCDay());
    return (
      fields.hour.has(date.getUTCHours()) &&
      fields.month.has(date.getUTCMonth() + 1) &&
      (isEitherDay ? byDay || byWeekday : byDay && byWeekday)
    );
  };
}

function valuesOf(field: string, minimum: number, maximum: number): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [first = '', last = first] = range.split('-');
    const low = range === '*' ? minimum : Number(first);
    const high = range === '*' ? maximum : Number(last);
    for (let value = low; value <= high; value += Number(step)) values.add(value);
  }
  return values;
}
