import { jitterOf } from './jitter';
import { nextOccurrence } from './next-occurrence';
import type { ScheduleRules, ScheduleTiming } from './schedule-rules';

/** An occurrence that fires later than this counts as missed, and the catch-up policy applies to it. */
export const MISSED_AFTER_MILLISECONDS = 60_000;
/** How many missed occurrences are counted one by one. */
export const MAXIMUM_COUNTED = 1_000;
const HOUR_MILLISECONDS = 3_600_000;

/** An occurrence of a schedule and when it fires, in milliseconds since the epoch. */
export interface DueOccurrence {
  readonly occurrence: number;
  readonly fireAt: number;
}

/** An occurrence that fires now. */
export interface Firing {
  readonly occurrence: number;
  /** How many missed occurrences this one stands for, besides itself. */
  readonly missed: number;
}

/** What a schedule does at an instant. */
export interface ScheduleStep {
  /** In the order of their times. */
  readonly firings: readonly Firing[];
  /** Missed occurrences that do not fire by themselves; at most 1,000 are counted. */
  readonly missed: number;
  /** The occurrence to wait for; null when there are no further ones. */
  readonly next: DueOccurrence | null;
}

/** Returns the first occurrence after an instant with its delay; null when there is none. */
export function occurrenceAfter(
  scheduleId: string,
  { timing, jitterSeconds }: Pick<ScheduleRules, 'timing' | 'jitterSeconds'>,
  after: number,
): DueOccurrence | null {
  const occurrence = nextOccurrence(timing, after);
  if (occurrence === null) return null;
  return { occurrence, fireAt: occurrence + jitterOf(scheduleId, occurrence, jitterSeconds) };
}

/**
 * Decides which occurrences fire now, from the one that the schedule waits for on. Each occurrence is decided about once:
 * the caller stores `next` together with the firings.
 */
export function fireSchedule(
  scheduleId: string,
  rules: ScheduleRules,
  waitsFor: number,
  now: number,
): ScheduleStep {
  const delayOf = (occurrence: number) => jitterOf(scheduleId, occurrence, rules.jitterSeconds);
  const { due, skipped } = dueOccurrences(rules.timing, waitsFor, now, delayOf);
  const isMissed = (occurrence: number) => occurrence + delayOf(occurrence) < now - MISSED_AFTER_MILLISECONDS;
  const missed = due.filter(isMissed);
  const onTime = due.filter((occurrence) => !isMissed(occurrence));
  const last = due.at(-1) ?? waitsFor - 1;
  const next = occurrenceAfter(scheduleId, rules, last);
  const total = Math.min(MAXIMUM_COUNTED, skipped + missed.length);
  const plain = onTime.map((occurrence): Firing => ({ occurrence, missed: 0 }));
  if (total === 0 || rules.catchup === 'skip') return { firings: plain, missed: total, next };
  if (rules.catchup === 'all') {
    const caughtUp = missed.slice(-rules.catchupLimit).map((occurrence) => ({ occurrence, missed: 0 }));
    return { firings: [...caughtUp, ...plain], missed: total - caughtUp.length, next };
  }
  const [first, ...rest] = plain;
  if (first) return { firings: [{ ...first, missed: total }, ...rest], missed: total, next };
  const occurrence = missed.at(-1) ?? last;
  return { firings: [{ occurrence, missed: total - 1 }], missed: total - 1, next };
}

interface Due {
  /** In order; after a long outage only the newest ones. */
  readonly due: readonly number[];
  /** How many older ones were left out, at most 1,000. */
  readonly skipped: number;
}

/** Returns the occurrences whose time has come, at most 1,000 of the newest ones. */
function dueOccurrences(
  timing: ScheduleTiming,
  waitsFor: number,
  now: number,
  delayOf: (occurrence: number) => number,
): Due {
  const first = list(timing, waitsFor - 1, now, delayOf);
  if (first.isComplete) return { due: first.due, skipped: 0 };
  // Too many to list them from the oldest one on. Looks back further and further instead, until there are enough.
  let newest = first.due;
  for (let window = HOUR_MILLISECONDS / 60; ; window *= 2) {
    const start = Math.max(waitsFor - 1, now - window);
    const found = list(timing, start, now, delayOf);
    if (!found.isComplete) break;
    newest = found.due;
    if (start === waitsFor - 1) break;
  }
  return { due: newest, skipped: MAXIMUM_COUNTED };
}

function list(
  timing: ScheduleTiming,
  after: number,
  now: number,
  delayOf: (occurrence: number) => number,
): { readonly due: readonly number[]; readonly isComplete: boolean } {
  const due: number[] = [];
  for (let last = after; due.length < MAXIMUM_COUNTED;) {
    const occurrence = nextOccurrence(timing, last);
    if (occurrence === null || occurrence + delayOf(occurrence) > now) return { due, isComplete: true };
    due.push(occurrence);
    last = occurrence;
  }
  return { due, isComplete: false };
}
