import { nextCronOccurrence } from './cron-expression';
import type { ScheduleTiming } from './schedule-rules';

/** Later times have no form that Langflow's clients read. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns the first occurrence after an instant, in milliseconds since the epoch; null when there is none. */
export function nextOccurrence(timing: ScheduleTiming, after: number): number | null {
  const next = unboundedOccurrence(timing, after);
  return next === null || next > LAST_INSTANT ? null : next;
}

function unboundedOccurrence(timing: ScheduleTiming, after: number): number | null {
  switch (timing.kind) {
    case 'cron':
      return nextCronOccurrence(timing.cron, timing.zone, after);
    case 'interval': {
      const { start } = timing;
      const interval = timing.everySeconds * 1_000;
      return after < start ? start : start + (Math.floor((after - start) / interval) + 1) * interval;
    }
    case 'once':
      return timing.at > after ? timing.at : null;
  }
}

/** Returns the next occurrences after an instant, at most `count`. */
export function nextOccurrences(timing: ScheduleTiming, after: number, count: number): readonly number[] {
  const occurrences: number[] = [];
  let last: number | null = after;
  while (occurrences.length < count) {
    last = nextOccurrence(timing, last);
    if (last === null) break;
    occurrences.push(last);
  }
  return occurrences;
}
