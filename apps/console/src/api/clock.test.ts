import { ClockDifference } from './clock';

/** Adds an answer of a server whose clock is ahead by `ahead`, `at` this time of the machine's clock. */
function answer(
  difference: ClockDifference,
  { ahead, at, took = 40 }: { ahead: number; at: number; took?: number },
) {
  const date = Math.floor((at + took / 2 + ahead) / 1_000) * 1_000;
  difference.add(date, at, at + took);
}

test('clocks that can be the same count as the same', () => {
  const difference = new ClockDifference();
  expect(difference.milliseconds).toBe(0);
  for (let at = 1_000_000; at < 1_020_000; at += 1_370) answer(difference, { ahead: 0, at });
  expect(difference.milliseconds).toBe(0);
});

test('answers narrow the difference of a clock that is ahead or behind', () => {
  for (const ahead of [-45_250, 7_400, 3_600_000]) {
    const difference = new ClockDifference();
    for (let at = 1_000_000; at < 1_030_000; at += 1_370) answer(difference, { ahead, at });
    expect(Math.abs(difference.milliseconds - ahead)).toBeLessThan(250);
  }
});

test('a clock that is set later is followed', () => {
  const difference = new ClockDifference();
  for (let at = 1_000_000; at < 1_010_000; at += 1_370) answer(difference, { ahead: 0, at });
  answer(difference, { ahead: 90_000, at: 1_020_000 });
  expect(Math.abs(difference.milliseconds - 90_000)).toBeLessThan(1_100);
});
