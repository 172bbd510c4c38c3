import { cosineSimilarity, maximalMarginalRelevance } from './maximal-marginal-relevance';

const query = [1, 0];
const nearness = (candidates: number[][]) =>
  candidates.map((candidate) => cosineSimilarity(query, candidate));

test('the nearest comes first, then what is unlike it', () => {
  const candidates = [
    [1, 0.5],
    [1, 0.2],
    [1, 0.21],
    [1, -0.6],
  ];
  expect(maximalMarginalRelevance(nearness(candidates), candidates, 3)).toEqual([1, 3, 2]);
});

test('gives no more than there are', () => {
  expect(maximalMarginalRelevance([0], [[0, 1]], 5)).toEqual([0]);
  expect(maximalMarginalRelevance([], [], 5)).toEqual([]);
});

test('what has no direction is like nothing', () => {
  expect(cosineSimilarity([0, 0], query)).toBe(0);
});
