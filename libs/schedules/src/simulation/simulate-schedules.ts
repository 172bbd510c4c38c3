import { fireSchedule, nextOccurrences, occurrenceAfter } from '../index';
import type { ScheduleRules } from '../index';
import { randomSchedule } from './random-schedule';
import { seededRandom } from './seeded-random';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface SimulationOptions {
  readonly seed: number;
  readonly schedules: number;
  readonly from: number;
  readonly to: number;
}

export interface SimulationCounts {
  fired: number;
  missed: number;
  crashes: number;
  outages: number;
  jumps: number;
}

interface SimulatedSchedule {
  readonly id: string;
  readonly rules: ScheduleRules;
  /** The stored state: what it waits for, and what was decided. All of it changes in one step, as in a transaction. */
  waitsFor: number | null;
  fireAt: number;
  readonly fired: Map<number, number>;
  decided: number;
}

/**
 * Simulates processes that fire schedules: crashes before and after the commit, outages of an hour, and a clock that jumps by
 * an hour in both directions. Throws when an occurrence was decided about twice or never.
 */
export function simulateSchedules({ seed, schedules: count, from, to }: SimulationOptions): SimulationCounts {
  const random = seededRandom(seed);
  const counts = { fired: 0, missed: 0, crashes: 0, outages: 0, jumps: 0 };
  const schedules = Array.from({ length: count }, (_, index): SimulatedSchedule => {
    const rules = randomSchedule(random, from);
    const id = `schedule-${index}`;
    const first = occurrenceAfter(id, rules, from - 1);
    const state = { waitsFor: first?.occurrence ?? null, fireAt: first?.fireAt ?? Infinity };
    return { id, rules, ...state, fired: new Map(), decided: 0 };
  });
  let now = from;
  let latest = from;
  while (now < to) {
    const dice = random();
    if (dice < 0.0005) {
      counts.outages += 1;
      now += HOUR;
    } else if (dice < 0.0015) {
      counts.jumps += 1;
      now += random() < 0.5 ? HOUR : -HOUR;
    } else now += stepMilliseconds(random);
    latest = Math.max(latest, now);
    for (const schedule of schedules) {
      if (schedule.waitsFor === null || schedule.fireAt > now) continue;
      // A process that crashes before the commit leaves nothing; one that crashes after it leaves everything.
      if (random() < 0.02) {
        counts.crashes += 1;
        continue;
      }
      fire(schedule, now, counts);
    }
  }
  for (const schedule of schedules) verify(schedule, from, latest);
  return counts;
}

/** Seconds most of the time, so that occurrences fire on time; minutes at others, so that a year passes. */
function stepMilliseconds(random: () => number): number {
  return random() < 0.5 ? 1 + random() * 2_000 : random() * 20 * MINUTE;
}

function fire(schedule: SimulatedSchedule, now: number, counts: SimulationCounts): void {
  const { id, rules, fired } = schedule;
  if (schedule.waitsFor === null) return;
  const { firings, missed, next } = fireSchedule(id, rules, schedule.waitsFor, now);
  for (const firing of firings) {
    if (fired.has(firing.occurrence)) throw new Error(`${id}: ${firing.occurrence} fired twice`);
    fired.set(firing.occurrence, firing.missed);
  }
  schedule.decided += firings.length + missed;
  schedule.waitsFor = next?.occurrence ?? null;
  schedule.fireAt = next?.fireAt ?? Infinity;
  counts.fired += firings.length;
  counts.missed += missed;
}

/** Every occurrence up to the one that the schedule waits for was decided about exactly once. */
function verify(
  { id, rules, waitsFor, fireAt, fired, decided }: SimulatedSchedule,
  from: number,
  latest: number,
): void {
  const end = waitsFor ?? latest + 1;
  const occurrences: number[] = [];
  for (let last = from - 1; ;) {
    const [next] = nextOccurrences(rules.timing, last, 1);
    if (next === undefined || next >= end) break;
    occurrences.push(next);
    last = next;
  }
  const fail = (text: string) => {
    throw new Error(`${id} (${JSON.stringify(rules)}): ${text}`);
  };
  if (decided !== occurrences.length) fail(`${occurrences.length} occurrences, ${decided} decisions`);
  const known = new Set(occurrences);
  for (const occurrence of fired.keys()) if (!known.has(occurrence)) fail(`${occurrence} is no occurrence`);
  if (rules.catchup === 'all' && fired.size !== occurrences.length) fail('an occurrence did not fire');
  if (rules.catchup === 'coalesce') {
    const covered = [...fired.values()].reduce((sum, missed) => sum + 1 + missed, 0);
    if (covered !== occurrences.length) fail(`${covered} of ${occurrences.length} occurrences are covered`);
  }
  // What is due long since was not left behind.
  if (fireAt <= latest - 3 * HOUR) fail(`still waits for ${waitsFor}`);
}
