import { backoff } from '../index';

test('delays grow up to the maximum and spread over the upper half of the span', () => {
  const waits = (random: () => number) =>
    [0, 1, 2, 3, 60, 2000].map((attempt) =>
      backoff({ initialMilliseconds: 100, maximumMilliseconds: 500, attempt, random }),
    );
  expect(waits(() => 0)).toEqual([50, 100, 200, 250, 250, 250]);
  expect(waits(() => 0.999999)).toEqual([100, 200, 400, 500, 500, 500]);
});
