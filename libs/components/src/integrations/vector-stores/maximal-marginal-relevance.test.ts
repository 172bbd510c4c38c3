import { runInSlices } from '../../parsing/run-in-slices';
import { cosineSimilarity, maximalMarginalRelevance } from './maximal-marginal-relevance';

const query = [1, 0];
const nearness = (candidates: number[][]) =>
  candidates.map((candidate) => cosineSimilarity(query, candidate));
const choose = (near: readonly number[], candidates: readonly number[][], count: number) =>
  runInSlices(maximalMarginalRelevance(near, candidates, count), new AbortController().signal);

test('the nearest comes first, then the least similar to it', async () => {
  const candidates = [
    [1, 0.5],
    [1, 0.2],
    [1, 0.21],
    [1, -0.6],
  ];
  expect(await choose(nearness(candidates), candidates, 3)).toEqual([1, 3, 2]);
});

test('returns no more than the candidates', async () => {
  expect(await choose([0], [[0, 1]], 5)).toEqual([0]);
  expect(await choose([], [], 5)).toEqual([]);
});

test('a zero vector is similar to nothing', () => {
  expect(cosineSimilarity([0, 0], query)).toBe(0);
});

test('handles hundreds of candidates', async () => {
  const candidates = Array.from({ length: 500 }, (_, index) => [Math.cos(index), Math.sin(index)]);
  const order = await choose(nearness(candidates), candidates, 500);
  expect(new Set(order).size).toBe(500);
  expect(order[0]).toBe(0);
});
