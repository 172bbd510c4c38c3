import { nowWithMicroseconds, timestamp } from '../index';

test('formats a time with microseconds', () => {
  expect(timestamp(Date.UTC(2026, 0, 31, 10, 0, 0, 5) + 0.25)).toBe('2026-01-31 10:00:00.005250 UTC');
  expect(timestamp(0)).toBe('1970-01-01 00:00:00.000000 UTC');
});

test('returns the current time, and each value is later than the one before', () => {
  const readings = Array.from({ length: 10_000 }, () => timestamp(nowWithMicroseconds()));
  expect(new Set(readings).size).toBe(readings.length);
  expect([...readings].sort()).toEqual(readings);
  expect(Math.abs(nowWithMicroseconds() - Date.now())).toBeLessThan(60_000);
});
