import { readSchedule } from './read-schedule';
import type { ReadSchedule, ScheduleConfig } from './read-schedule';
import { ScheduleError } from './schedule-error';

const FIELDS = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d))?/;

/**
 * Reads a configuration that is being saved: as `readSchedule`, and refuses what was accepted before and is read as something
 * else than was written. Stored schedules with it go on.
 */
export function readNewSchedule(config: ScheduleConfig, createdAt: number): ReadSchedule {
  // Langflow's texts.
  if (config['timezone'] === null) throw new ScheduleError('A non-empty IANA timezone is required.');
  if (config['catchup_policy'] === null)
    throw new ScheduleError("catchup_policy must be 'coalesce' or 'skip'.");
  const schedule = readSchedule(config, createdAt);
  for (const name of ['at', 'start_at']) requireDate(name, config[name]);
  if (schedule.rules.timing.kind !== 'interval' && (config['start_at'] ?? null) !== null)
    throw new ScheduleError(
      "start_at is the start of an interval; it has no effect without 'every_seconds'.",
    );
  return schedule;
}

/** Refuses a date that no calendar has, such as 2026-02-30, which is read as a later one. */
function requireDate(name: string, text: unknown): void {
  const fields = typeof text === 'string' ? FIELDS.exec(text)?.slice(1) : undefined;
  if (fields === undefined) return;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.map((field) =>
    Number(field ?? 0),
  );
  const read = new Date(0);
  read.setUTCFullYear(year, month - 1, day);
  read.setUTCHours(hour, minute, second);
  const isSame = read.getUTCMonth() === month - 1 && read.getUTCDate() === day && read.getUTCHours() === hour;
  if (!isSame) throw new ScheduleError(`${name} is a time that does not exist.`);
}
