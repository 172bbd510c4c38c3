import { Cron } from 'croner';
import { LRUCache } from 'lru-cache';
import { ScheduleError } from './schedule-error';
import { endOfGap, instantsOf, offsetsAround } from './wall-time';
import { zoneOffset } from './zone-offset';

/** Langflow's text, also for a schedule without an expression. */
export const INVALID_CRON = 'Invalid cron expression: a valid five-field cron expression is required.';
const FIELDS = 5;
const MAXIMUM_LENGTH = 200;
/** Bounds the search for the next occurrence; only the hours around a change of the clock need more than a few steps. */
const MAXIMUM_STEPS = 20_000;

const parsed = new LRUCache<string, Cron>({ maxSize: 10_000, sizeCalculation: () => 1 });

/** Returns a cron expression with single spaces. Throws ScheduleError unless it has five valid fields. */
export function normalizeCron(text: string): string {
  const normal = text.trim().split(/\s+/).join(' ');
  if (normal.length > MAXIMUM_LENGTH || normal.split(' ').length !== FIELDS)
    throw new ScheduleError(INVALID_CRON);
  try {
    parse(normal);
  } catch (error) {
    throw new ScheduleError(INVALID_CRON, { cause: error });
  }
  return normal;
}

/**
 * Returns the first occurrence of a cron expression after an instant; null when there is none. Both days of month and days
 * of week restrict: a day that matches one of them matches.
 *
 * When the clock is put forward, an expression with fixed hours occurs once, at the end of the skipped time; one whose hour
 * field begins with `*` does not occur in it. When the clock is put back, an expression with fixed hours occurs in the first
 * pass only; one whose hour field begins with `*` occurs in both.
 */
export function nextCronOccurrence(cron: string, zone: string, after: number): number | null {
  const pattern = parse(cron);
  const isHourly = cron.split(' ')[1]?.startsWith('*') ?? false;
  const offset = zoneOffset(zone, after);
  const [earlier, later] = offsetsAround(zone, after + offset);
  // The clock can show times again that it showed before `after`.
  let wall: number | null = after + Math.min(offset, earlier, later) - 1;
  let best: number | null = null;
  for (let step = 0; step < MAXIMUM_STEPS; step += 1) {
    wall = pattern.nextRun(new Date(wall))?.getTime() ?? null;
    if (wall === null) return best;
    if (best !== null && wall - Math.max(...offsetsAround(zone, wall)) > best) return best;
    for (const instant of occurrencesAt(zone, wall, isHourly))
      if (instant > after && (best === null || instant < best)) best = instant;
    // Away from changes of the clock, the first time that the clock shows is the first one to come.
    if (best !== null && earlier === later && isSteady(zone, wall, earlier)) return best;
  }
  return best;
}

function isSteady(zone: string, wall: number, offset: number): boolean {
  const [before, after] = offsetsAround(zone, wall);
  return before === offset && after === offset;
}

function occurrencesAt(zone: string, wall: number, isHourly: boolean): readonly number[] {
  const instants = instantsOf(zone, wall);
  if (isHourly) return instants;
  return [instants[0] ?? endOfGap(zone, wall)];
}

/** The expression, evaluated on a clock that never changes: this module applies the zone. */
function parse(cron: string): Cron {
  let pattern = parsed.get(cron);
  if (!pattern) {
    pattern = new Cron(cron, { utcOffset: 0, paused: true, mode: '5-part' });
    parsed.set(cron, pattern);
  }
  return pattern;
}
