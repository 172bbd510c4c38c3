import { parseDateTime, pythonIsoFormat } from './date-time';

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

test.each(['soon', '', '2020-13-01', '2020-01-01T25:00:00', true, null, [], 1e300])(
  '%p is not a point in time',
  (value) => {
    expect(parseDateTime(value)).toBeNull();
  },
);
