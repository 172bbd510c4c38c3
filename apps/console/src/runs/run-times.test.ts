import { tookText, waitedText } from './run-times';

const NOW = Date.parse('2026-11-27T10:00:10Z');
const at = (second: number) => `2026-11-27T10:00:${String(second).padStart(2, '0')}Z`;
const run = (status: string, started: number | null, finished: number | null) =>
  ({
    status,
    accepted_at: at(0),
    started_at: started === null ? null : at(started),
    finished_at: finished === null ? null : at(finished),
  }) as Parameters<typeof tookText>[0];
const texts = (...given: Parameters<typeof run>) => [
  waitedText(run(...given), NOW),
  tookText(run(...given), NOW),
];

test('an ended run has waited and taken the time between its times', () => {
  expect(texts('succeeded', 1, 4)).toEqual(['1.00 s', '3.00 s']);
});

test('the duration of a running run counts from its start', () => {
  expect(texts('running', 2, null)).toEqual(['2.00 s', '8 s']);
});

test('a run that waits has waited so far, and has no duration', () => {
  expect(texts('accepted', null, null)).toEqual(['10 s', undefined]);
  expect(texts('queued', null, null)).toEqual(['10 s', undefined]);
});

test('a run that was cancelled before its start waited until its end', () => {
  expect(texts('cancelled', null, 5)).toEqual(['5.00 s', undefined]);
});

test('an interactive run without a record counts from its acceptance', () => {
  expect(texts('running', null, null)).toEqual([undefined, '10 s']);
});
