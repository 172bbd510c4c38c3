import { periodOf, startsOf } from './period';

const NOW = Date.parse('2026-03-05T10:20:30Z');
const read = (text: string) => {
  const { from, before, ...rest } = periodOf(new URLSearchParams(text), NOW);
  return { from: new Date(from).toISOString(), before: new Date(before).toISOString(), ...rest };
};

test.each([
  ['', '2026-02-27T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
  ['period=unknown', '2026-02-27T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
  ['period=24h', '2026-03-04T11:00:00.000Z', '2026-03-05T11:00:00.000Z', 'hour', true],
  ['period=month', '2026-03-01T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
  ['period=last-month', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', 'day', true],
  ['period=365d', '2025-03-06T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', false],
  ['from=2026-03-01&to=2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z', 'hour', true],
  // The days of an address that the API would refuse are left out.
  ['from=2026-03-02&to=2026-03-01', '2026-02-27T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
  ['from=2020-03-01&to=2026-03-01', '2026-02-27T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
  ['from=x&to=2026-13-01', '2026-02-27T00:00:00.000Z', '2026-03-05T11:00:00.000Z', 'day', true],
])('the address %s is a period of whole hours', (address, from, before, interval, canBeHourly) => {
  expect(read(address)).toEqual({ from, before, interval, canBeHourly });
});

test('each interval of a period has its place, also those without counts', () => {
  const period = periodOf(new URLSearchParams('period=7d'), NOW);
  expect(startsOf(period, 'day').map((start) => new Date(start).getUTCDate())).toEqual([
    27, 28, 1, 2, 3, 4, 5,
  ]);
  expect(startsOf(period, 'hour')).toHaveLength(6 * 24 + 11);
});
