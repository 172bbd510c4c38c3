import { RareRuns } from './rare-runs';

const takenOf = (runs: RareRuns, flow: string, count: number) =>
  Array.from({ length: count }, () => runs.take(flow)).filter(Boolean).length;

test('ten runs of a flow are rare in a second, and a hundred of all flows', () => {
  let now = 0;
  const runs = new RareRuns(() => now);
  expect(takenOf(runs, 'flow', 50)).toBe(10);
  now = 999;
  expect(takenOf(runs, 'flow', 1)).toBe(0);
  const others = Array.from({ length: 20 }, (_, index) => takenOf(runs, `other ${index}`, 8));
  expect(others.reduce((sum, taken) => sum + taken, 0)).toBe(90);
  now = 1_000;
  expect(takenOf(runs, 'flow', 50)).toBe(10);
});
