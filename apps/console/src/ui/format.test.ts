import { axisLabels, elapsed, englishOf, interval, relativeTime } from './format';

const NOW = Date.parse('2026-11-27T10:00:00Z');
const away = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();

test('what has happened is never in the future, whatever the clocks show', () => {
  expect([0.4, 1, 90, 86_400].map((ahead) => relativeTime(away(ahead), NOW))).toEqual([
    'now',
    'now',
    'now',
    'now',
  ]);
});

test('a past time is as long ago as its whole units, so that no minute has sixty seconds', () => {
  const past = [0.5, 1, 59.9, 60, 3_599, 3_600, 86_399, 86_400, 86_400 * 29.9];
  expect(past.map((seconds) => relativeTime(away(-seconds), NOW))).toEqual([
    'now',
    '1 s ago',
    '59 s ago',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '23 h ago',
    '1 day ago',
    '29 days ago',
  ]);
});

test('a time that is more than a month away is a date, not "next month"', () => {
  for (const seconds of [35 * 86_400, -400 * 86_400]) {
    const text = relativeTime(away(seconds), NOW, 'due');
    expect(text).toMatch(/2027|2025/);
    expect(text).not.toMatch(/ago|in |next/);
  }
});

test('what is due is in the future, now, or overdue, never "next 8 min ago"', () => {
  const due = [100, 0.2, -0.9, -5, -500].map((seconds) => relativeTime(away(seconds), NOW, 'due'));
  expect(due).toEqual(['in 1 min', 'now', 'now', '5 s overdue', '8 min overdue']);
});

test('a permission expires, or has expired', () => {
  const ends = [7_300, -7_300, -86_400 * 50].map((seconds) => relativeTime(away(seconds), NOW, 'expiry'));
  expect(ends).toEqual(['in 2 h', 'expired 2 h ago', expect.stringMatching(/^expired on .*2026/)]);
});

test('dates are in the English of the reader, or in British English on a page for others', () => {
  expect(englishOf(['de-DE', 'en-US', 'en-GB'])).toBe('en-US');
  expect(englishOf(['ar-EG', 'de'])).toBe('en-GB');
  expect(englishOf(['enm', 'en'])).toBe('en');
});

test('a duration that goes on counts in whole seconds', () => {
  expect([-5, 900, 4_999, 61_000, 3_700_000].map(elapsed)).toEqual([
    '0 s',
    '0 s',
    '4 s',
    '1 m 1 s',
    '1 h 1 m',
  ]);
});

test('an axis has times of the day, and the date where another day begins', () => {
  const hours = (from: number, step: number, length: number) =>
    axisLabels(
      Array.from({ length }, (_, place) => new Date(2026, 10, 27, from + step * place).getTime() / 1_000),
    );
  const [evening, midnight, night] = hours(21, 3, 3);
  expect([evening, midnight, night].map((label) => /:/.test(label ?? ''))).toEqual([true, false, true]);
  expect(midnight).toMatch(/28/);
  expect(hours(0, 24, 3).join()).toMatch(/27.*28.*29/);
});

test('an interval of a chart has one date and two times', () => {
  const start = new Date(2026, 10, 27, 9).getTime() / 1_000;
  expect(interval(start * 1_000, (start + 900) * 1_000)).toMatch(/27 Nov.*9:00.*9:15|Nov.*27.*9:00.*9:15/);
});
