import { LONGEST_PAUSE_MILLISECONDS, nextPause, SHORTEST_PAUSE_MILLISECONDS } from './next-pause';

test.each([
  ['half of them had gone', 125, 40, 20],
  ['all of them had gone', 250, 40, 20],
  ['a quarter of them had gone', 63, 40, 40],
  ['few had gone', 62, 40, 80],
  ['none had gone', 0, 40, 80],
])('when %s', (_, gone, pauseMilliseconds, expected) => {
  expect(nextPause({ gone, most: 250, pauseMilliseconds })).toBe(expected);
});

test('stays between its bounds', () => {
  let pauseMilliseconds = 30;
  for (let look = 0; look < 9; look += 1)
    pauseMilliseconds = nextPause({ gone: 9, most: 10, pauseMilliseconds });
  expect(pauseMilliseconds).toBe(SHORTEST_PAUSE_MILLISECONDS);
  for (let look = 0; look < 9; look += 1)
    pauseMilliseconds = nextPause({ gone: 0, most: 10, pauseMilliseconds });
  expect(pauseMilliseconds).toBe(LONGEST_PAUSE_MILLISECONDS);
});
