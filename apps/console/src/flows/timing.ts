const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** When a schedule fires, in words: its cron expression, its interval, or its one time. */
export function timingOf(config: Readonly<Record<string, unknown>>): string {
  const zone = typeof config['timezone'] === 'string' ? config['timezone'] : 'UTC';
  if (typeof config['every_seconds'] === 'number') return `every ${interval(config['every_seconds'])}`;
  if (typeof config['at'] === 'string') return `once, at ${config['at']} (${zone})`;
  return `${String(config['cron'] ?? '')} (${zone})`;
}

function interval(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, 'second'];
  const count = seconds / size;
  return count === 1 ? name : `${count} ${name}s`;
}
