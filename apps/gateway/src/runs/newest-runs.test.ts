import { newestRuns } from './newest-runs';

const alone = (id: string) => ({ id, sharedMessage: null });
const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id);

test('counts jobs in a message of their own', () => {
  const runs = ['a', 'b', 'c'].map(alone);
  expect(idsOf(newestRuns(runs, 0))).toEqual([]);
  expect(idsOf(newestRuns(runs, 2))).toEqual(['b', 'c']);
  expect(idsOf(newestRuns(runs, 3))).toEqual(['a', 'b', 'c']);
  expect(idsOf(newestRuns(runs, Infinity))).toEqual(['a', 'b', 'c']);
});

test('counts jobs that share a message once', () => {
  const [first, second] = [{}, {}];
  const runs = [
    { id: 'a', sharedMessage: first },
    { id: 'b', sharedMessage: first },
    alone('c'),
    { id: 'd', sharedMessage: second },
    { id: 'e', sharedMessage: second },
  ];
  expect(idsOf(newestRuns(runs, 1))).toEqual(['d', 'e']);
  expect(idsOf(newestRuns(runs, 2))).toEqual(['c', 'd', 'e']);
  expect(idsOf(newestRuns(runs, 3))).toEqual(['a', 'b', 'c', 'd', 'e']);
});
