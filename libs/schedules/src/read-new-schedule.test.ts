import { nextOccurrences, readNewSchedule, readSchedule } from './index';

const NOW = Date.parse('2026-05-01T10:00:00Z');

test.each([
  [{ at: '2027-06-31T00:00', timezone: 'Europe/Lisbon' }, 'at is a time that does not exist.'],
  [{ at: '2027-02-29T10:00:00Z' }, 'at is a time that does not exist.'],
  [{ at: '2027-01-01T24:00:00Z' }, 'at is a time that does not exist.'],
  [{ every_seconds: 60, start_at: '2026-02-30T00:00:00+02:00' }, 'start_at is a time that does not exist.'],
  [{ at: '9999-12-31T23:59:59-14:00' }, 'The schedule never fires: no time matches it.'],
  [{ cron: '0 8 * * *', timezone: null }, 'A non-empty IANA timezone is required.'],
  [{ cron: '0 8 * * *', catchup_policy: null }, "catchup_policy must be 'coalesce' or 'skip'."],
  [{ cron: '0 8 * * *', start_at: '2027-01-01T00:00:00Z' }, 'start_at is the start of an interval'],
  [{ at: '2027-01-01T00:00:00Z', start_at: '2026-06-01T00:00:00Z' }, 'start_at is the start of an interval'],
])('refuses %j, which was accepted before', (config, text) => {
  expect(() => readNewSchedule(config, NOW)).toThrow(text);
});

test.each([
  { at: '2028-02-29T23:59:59.999Z' },
  { at: '2027-03-28T01:30', timezone: 'Europe/Lisbon' },
  { every_seconds: 60, start_at: '0001-01-01T00:00:00Z' },
  { cron: '0 8 * * *', start_at: null },
])('accepts %j', (config) => {
  expect(readNewSchedule(config, NOW)).toEqual(readSchedule(config, NOW));
});

test('an interval ends with the year 9999', () => {
  const { rules } = readNewSchedule({ every_seconds: 7, start_at: '9999-12-31T23:59:50Z' }, NOW);
  expect(nextOccurrences(rules.timing, NOW, 10).map((time) => new Date(time).toISOString())).toEqual([
    '9999-12-31T23:59:50.000Z',
    '9999-12-31T23:59:57.000Z',
  ]);
});
