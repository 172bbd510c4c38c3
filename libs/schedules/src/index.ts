export { fireSchedule, occurrenceAfter } from './fire-schedule';
export type { Firing } from './fire-schedule';
export { nextOccurrences } from './next-occurrence';
export { readNewSchedule } from './read-new-schedule';
export { readSchedule } from './read-schedule';
export { ScheduleError } from './schedule-error';
export type { ScheduleRules } from './schedule-rules';
