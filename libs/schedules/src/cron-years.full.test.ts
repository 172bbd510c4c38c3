import { nextOccurrences } from './index';
import { everyOccurrence } from './testing/every-occurrence';

const YEAR = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2027-01-01T00:00:00Z') };

/** One zone north and one south of the equator, and one whose clock is put forward by half an hour. */
const zones = ['Europe/Lisbon', 'America/New_York', 'Australia/Lord_Howe'];
const crons = ['30 1 * * *', '30 2 * * *', '15,45 1-3 * * *', '0 */2 * * *'];
const rareCrons = ['0 12 13 * 5', '0 3 * 3,10 0'];

test.each(zones.flatMap((zone) => [...crons, ...rareCrons].map((cron) => [cron, zone] as const)))(
  '%s in %s occurs exactly at the times of a year that the clock shows',
  (cron, zone) => {
    const expected = everyOccurrence(cron, zone, YEAR);
    const found: number[] = [];
    let last = YEAR.from - 1;
    for (;;) {
      const [time] = nextOccurrences({ kind: 'cron', cron, zone }, last, 1);
      if (time === undefined || time >= YEAR.to) break;
      found.push(time);
      last = time;
    }
    expect(found.length).toBe(expected.length);
    expect(found.find((time, index) => time !== expected[index])).toBeUndefined();
  },
);
