import { MAXIMUM_PAUSE_MILLISECONDS, nextPause, MINIMUM_PAUSE_MILLISECONDS } from './next-pause';

test.each([
  ['half of the limit was released', 125, 40, 20],
  ['the whole limit was released', 250, 40, 20],
  ['a quarter of the limit was released', 63, 40, 40],
  ['less than a quarter was released', 62, 40, 80],
  ['nothing was released', 0, 40, 80],
])('adjusts the pause when %s', (_, released, pauseMilliseconds, expected) => {
  expect(nextPause({ released, limit: 250, pauseMilliseconds })).toBe(expected);
});

test('stays between its bounds', () => {
  let pauseMilliseconds = 30;
  for (let round = 0; round < 9; round += 1)
    pauseMilliseconds = nextPause({ released: 9, limit: 10, pauseMilliseconds });
  expect(pauseMilliseconds).toBe(MINIMUM_PAUSE_MILLISECONDS);
  for (let round = 0; round < 9; round += 1)
    pauseMilliseconds = nextPause({ released: 0, limit: 10, pauseMilliseconds });
  expect(pauseMilliseconds).toBe(MAXIMUM_PAUSE_MILLISECONDS);
});
