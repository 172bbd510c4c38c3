import { nextOccurrences } from './index';
import { normalizeCron } from './cron-expression';
import { everyOccurrence } from './testing/every-occurrence';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const next = (cron: string, zone: string, after: string, count = 4) =>
  nextOccurrences({ kind: 'cron', cron, zone }, at(after), count).map((time) =>
    new Date(time).toISOString().slice(0, 16),
  );

/** One zone north and one south of the equator, and one whose clock is put forward by half an hour. */
const zones = ['Europe/Lisbon', 'America/New_York', 'Australia/Lord_Howe'];

/** The time in UTC of each change of the clock in 2026. */
const changes: Readonly<Record<string, readonly string[]>> = {
  'Europe/Lisbon': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00Z', '2026-10-03T15:30Z'],
};
/** How long before and after a change the occurrences are compared: from the evening before it to the morning after it. */
const HOURS_AROUND = 4;

test.each(
  zones.flatMap((zone) => ['* * * * *', '*/7 * * * *', '* 1-3 * * *'].map((cron) => [cron, zone] as const)),
)('%s in %s occurs exactly at the times around a change that the clock shows', (cron, zone) => {
  for (const change of changes[zone] ?? []) {
    const span = { from: at(change) - HOURS_AROUND * HOUR, to: at(change) + HOURS_AROUND * HOUR };
    const expected = everyOccurrence(cron, zone, span);
    const found = nextOccurrences({ kind: 'cron', cron, zone }, span.from - 1, expected.length);
    expect(found).toEqual(expected);
  }
});

test('a skipped time fires once, at the end of the skipped hour', () => {
  expect(next('30 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
    '2026-03-08T07:00',
    '2026-03-09T06:30',
  ]);
  expect(next('0,20,40 2 * * *', 'America/New_York', '2026-03-08T06:00:00Z', 2)).toEqual([
    '2026-03-08T07:00',
    '2026-03-09T06:00',
  ]);
});

test('a doubled time fires once with fixed hours, and twice when every hour matches', () => {
  expect(next('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2)).toEqual([
    '2026-11-01T05:30',
    '2026-11-02T06:30',
  ]);
  expect(next('30 * * * *', 'America/New_York', '2026-11-01T05:00:00Z', 3)).toEqual([
    '2026-11-01T05:30',
    '2026-11-01T06:30',
    '2026-11-01T07:30',
  ]);
});

test('starting within the second pass of a doubled hour does not repeat the first one', () => {
  expect(next('30 1 * * *', 'America/New_York', '2026-11-01T06:10:00Z', 1)).toEqual(['2026-11-02T06:30']);
});

test('a day that does not exist never occurs, and the 29th of February does every four years', () => {
  expect(next('0 0 30 2 *', 'UTC', '2026-01-01T00:00:00Z')).toEqual([]);
  expect(next('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2028-02-29T00:00',
    '2032-02-29T00:00',
  ]);
});

test.each(['', '* * * *', '* * * * * *', '61 * * * *', 'a b c d e', '0 0 32 * *', '@daily'])(
  'refuses the expression "%s"',
  (cron) => {
    expect(() => normalizeCron(cron)).toThrow(/cron/i);
  },
);
