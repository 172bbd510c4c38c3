import { dateTimeItem, parseDateTime, pythonIsoFormat } from './date-time';

test.each([
  ['2020-01-01T00:00:00', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01 01:30+01:30', '2020-01-01T00:00:00+00:00'],
  ['2020-01-01T00:00:00.25-0100', '2020-01-01T01:00:00.250000+00:00'],
  ['2020-01-01', '2020-01-01T00:00:00+00:00'],
  [1577836800, '2020-01-01T00:00:00+00:00'],
  ['1577836800', '2020-01-01T00:00:00+00:00'],
  [1577836800000, '2020-01-01T00:00:00+00:00'],
])('%s is a point in time', (value, iso) => {
  const date = parseDateTime(value);
  expect(date && pythonIsoFormat(date)).toBe(iso);
});

test.each(['2027-02-30T00:00:00Z', '2027-02-29', '2027-04-31T10:00:00+02:00', '0000-01-01', '2027-01-00'])(
  'no calendar has the day of %s',
  (value) => {
    expect(parseDateTime(value)).toBeNull();
    const { ctx } = dateTimeItem(value, ['body', 'expires_at']);
    expect(ctx).toEqual({ error: 'day value is outside expected range' });
  },
);

test('a leap day is a day, and 24:00 is no time', () => {
  expect(parseDateTime('2028-02-29T23:59:59Z')).toEqual(new Date('2028-02-29T23:59:59Z'));
  expect(parseDateTime('2027-01-01T24:00:00Z')).toBeNull();
});

test.each(['soon', '', '2020-13-01', '2020-01-01T25:00:00', true, null, [], 1e300])(
  '%p is not a point in time',
  (value) => {
    expect(parseDateTime(value)).toBeNull();
  },
);
