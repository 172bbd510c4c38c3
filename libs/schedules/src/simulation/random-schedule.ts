import type { ScheduleRules } from '../index';
import { catchupPolicies } from '../schedule-rules';
import type { ScheduleTiming } from '../schedule-rules';

const ZONES = ['Europe/Lisbon', 'America/New_York', 'Australia/Lord_Howe'] as const;
const CRONS = [
  '30 2 * * *',
  '30 1 * * *',
  '0 */6 * * *',
  '15 * * * *',
  '0 8 * * 1-5',
  '0 0 1 * *',
  '45 1-3 * * 0',
];

/** Returns a random schedule of a kind that people use: a few times a day, rarely every hour. */
export function randomSchedule(random: () => number, from: number): ScheduleRules {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const kinds: (() => ScheduleTiming)[] = [
    () => ({ kind: 'cron', cron: pick(CRONS), zone: pick(ZONES) }),
    () => ({
      kind: 'cron',
      cron: `${Math.floor(random() * 60)} ${Math.floor(random() * 24)} * * *`,
      zone: pick(ZONES),
    }),
    () => ({ kind: 'interval', everySeconds: 3_600 + Math.floor(random() * 86_400), start: from + 1_000 }),
    () => ({ kind: 'once', at: from + Math.floor(random() * 200 * 86_400_000) }),
  ];
  return {
    timing: pick(kinds)(),
    catchup: pick(catchupPolicies),
    catchupLimit: 1_000,
    jitterSeconds: random() < 0.3 ? Math.floor(random() * 600) : 0,
    overlap: 'allow',
  };
}
