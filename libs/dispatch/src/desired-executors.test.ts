import { desiredExecutors } from './index';

const rule = { targetRuns: 64, minimumExecutors: 1, maximumExecutors: 10 };

test.each([
  [0, 0, 1, 'ceil((0 + 0) / 64) = 0, at least 1'],
  [0, 64, 1, 'ceil((0 + 64) / 64) = 1'],
  [1, 64, 2, 'ceil((1 + 64) / 64) = 2'],
  [100_000, 128, 10, 'ceil((100000 + 128) / 64) = 1565, at most 10'],
])('%d waiting and %d busy runs need %d executors', (waiting, busy, desired, arithmetic) => {
  expect(desiredExecutors({ waiting, busy }, rule)).toEqual({ desired, arithmetic });
});
