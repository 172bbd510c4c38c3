import { fireSchedule, occurrenceAfter } from './index';
import type { ScheduleRules } from './index';

const at = (text: string) => Date.parse(`2026-05-01T${text}Z`);
const rules = (changes: Partial<ScheduleRules> = {}): ScheduleRules => ({
  timing: { kind: 'cron', cron: '*/10 * * * *', zone: 'UTC' },
  catchup: 'coalesce',
  catchupLimit: 100,
  jitterSeconds: 0,
  overlap: 'queue',
  ...changes,
});
const step = (changes: Partial<ScheduleRules>, waitsFor: string, now: string) => {
  const { firings, missed, next } = fireSchedule('s', rules(changes), at(waitsFor), at(now));
  return {
    fired: firings.map(({ occurrence, missed: misses }) => [
      new Date(occurrence).toISOString().slice(11, 19),
      misses,
    ]),
    missed,
    next: next && new Date(next.occurrence).toISOString().slice(11, 19),
  };
};

test('an occurrence fires once its time has come', () => {
  expect(step({}, '10:10:00', '10:09:59')).toEqual({ fired: [], missed: 0, next: '10:10:00' });
  expect(step({}, '10:10:00', '10:10:00')).toEqual({ fired: [['10:10:00', 0]], missed: 0, next: '10:20:00' });
});

test.each([
  ['coalesce', [['10:50:00', 4]], 4],
  ['skip', [], 5],
  [
    'all',
    [
      ['10:10:00', 0],
      ['10:20:00', 0],
      ['10:30:00', 0],
      ['10:40:00', 0],
      ['10:50:00', 0],
    ],
    0,
  ],
] as const)('after an outage, %s fires what its policy says', (catchup, fired, missed) => {
  expect(step({ catchup }, '10:10:00', '10:55:00')).toEqual({ fired, missed, next: '11:00:00' });
});

test.each([
  ['coalesce', [['10:50:00', 4]]],
  ['skip', [['10:50:00', 0]]],
] as const)('with an occurrence on time after an outage, %s fires that one', (catchup, fired) => {
  expect(step({ catchup }, '10:10:00', '10:50:01').fired).toEqual(fired);
});

test('the policy `all` fires the newest occurrences up to its limit', () => {
  const fired = step({ catchup: 'all', catchupLimit: 2 }, '10:10:00', '10:55:00');
  expect(fired).toEqual({
    fired: [
      ['10:40:00', 0],
      ['10:50:00', 0],
    ],
    missed: 3,
    next: '11:00:00',
  });
});

test('an occurrence that is late by less than a minute is not missed', () => {
  expect(step({ catchup: 'skip' }, '10:10:00', '10:11:00').fired).toEqual([['10:10:00', 0]]);
  expect(step({ catchup: 'skip' }, '10:10:00', '10:11:01').fired).toEqual([]);
});

test('a year of missed seconds is decided on at once, and the count ends at a thousand', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const now = start + 365 * 86_400_000;
  const timing = { kind: 'interval', everySeconds: 1, start } as const;
  const { firings, missed, next } = fireSchedule('s', rules({ timing, catchup: 'all' }), start, now);
  // 61 of them are on time.
  expect(firings.length).toBe(100 + 61);
  expect(firings.at(-1)?.occurrence).toBe(now);
  expect(new Set(firings.map(({ occurrence }) => occurrence)).size).toBe(firings.length);
  expect(missed).toBe(900);
  expect(next?.occurrence).toBe(now + 1_000);
});

test('a schedule for one time fires once and then waits for nothing', () => {
  const timing = { kind: 'once', at: at('10:10:00') } as const;
  expect(step({ timing }, '10:10:00', '10:10:00')).toEqual({
    fired: [['10:10:00', 0]],
    missed: 0,
    next: null,
  });
});

test('jitter delays each occurrence by the same time whenever it is asked for', () => {
  const jittered = rules({ jitterSeconds: 300 });
  const delays = Array.from({ length: 50 }, (_, index) => {
    const due = occurrenceAfter(`schedule-${index}`, jittered, at('10:09:00'));
    expect(occurrenceAfter(`schedule-${index}`, jittered, at('10:09:00'))).toEqual(due);
    return (due?.fireAt ?? 0) - (due?.occurrence ?? 0);
  });
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...delays)).toBeLessThan(300_000);
  expect(new Set(delays).size).toBeGreaterThan(40);
  const due = occurrenceAfter('s', jittered, at('10:09:00'));
  expect(fireSchedule('s', jittered, at('10:10:00'), (due?.fireAt ?? 0) - 1).firings).toEqual([]);
  expect(fireSchedule('s', jittered, at('10:10:00'), due?.fireAt ?? 0).firings).toHaveLength(1);
});
