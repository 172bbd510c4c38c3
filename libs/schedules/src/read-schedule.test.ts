import { readSchedule } from './index';

const CREATED = Date.parse('2026-05-01T10:00:00Z');
const read = (config: Record<string, unknown>) => readSchedule(config, CREATED);

test('fills in the defaults and normalizes the expression', () => {
  expect(read({ cron: '0  8 * * 1-5', timezone: 'Europe/Lisbon' }).config).toEqual({
    cron: '0 8 * * 1-5',
    timezone: 'Europe/Lisbon',
    catchup_policy: 'coalesce',
  });
});

test('keeps members that it does not know', () => {
  expect(read({ cron: '* * * * *', note: 'x' }).config).toMatchObject({ note: 'x' });
});

test('a time without an offset is a time of the zone', () => {
  const timing = (config: Record<string, unknown>) => read(config).rules.timing;
  expect(timing({ at: '2026-07-01T09:00', timezone: 'Europe/Lisbon' })).toEqual({
    kind: 'once',
    at: Date.parse('2026-07-01T08:00:00Z'),
  });
  expect(timing({ at: '2026-07-01T09:00:00+02:00', timezone: 'Europe/Lisbon' })).toEqual({
    kind: 'once',
    at: Date.parse('2026-07-01T07:00:00Z'),
  });
  expect(timing({ every_seconds: 90 })).toEqual({ kind: 'interval', everySeconds: 90, start: CREATED });
});

test.each([
  [{}, 'Invalid cron expression: a valid five-field cron expression is required.'],
  [
    { cron: '* * * * *', at: '2027-01-01T00:00:00Z' },
    "A schedule needs exactly one of 'cron', 'every_seconds' and 'at'.",
  ],
  [{ cron: '* * * *' }, 'Invalid cron expression: a valid five-field cron expression is required.'],
  [{ cron: '99 * * * *' }, 'Invalid cron expression: a valid five-field cron expression is required.'],
  [{ cron: '0 0 30 2 *' }, 'Invalid cron expression: it never matches a real date.'],
  [{ at: '2020-01-01T00:00:00Z' }, 'The schedule never fires: no time matches it.'],
  [{ cron: '* * * * *', timezone: 'Mars/Base' }, 'Unknown timezone; use an IANA timezone name.'],
  [{ cron: '* * * * *', timezone: '+01:00' }, 'Unknown timezone; use an IANA timezone name.'],
  [{ cron: '* * * * *', timezone: '' }, 'A non-empty IANA timezone is required.'],
  [{ cron: '* * * * *', catchup_policy: 'later' }, "catchup_policy must be 'coalesce' or 'skip'."],
  [{ cron: '* * * * *', overlap_policy: 'later' }, "overlap_policy must be 'queue', 'skip' or 'allow'."],
  [{ cron: '* * * * *', share_session: 'yes' }, 'share_session must be a boolean.'],
  [{ every_seconds: 0 }, 'every_seconds must be an integer from 1 to 31622400.'],
  [{ every_seconds: 5, jitter_seconds: 1.5 }, 'jitter_seconds must be an integer from 0 to 3600.'],
  [{ at: 'tomorrow' }, 'at must be a time such as 2026-01-31T10:00:00Z.'],
])('refuses %j', (config, text) => {
  expect(() => read(config)).toThrow(text);
});
