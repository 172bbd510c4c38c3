import type { Vector } from '../embeddings/embed-texts';

/** How much nearness to the query counts, and how much difference from what is chosen already. */
const balance = 0.5;

/**
 * Which candidates to take, in order, so that they are near the query and unlike each other: the first is the nearest,
 * each further one has the best balance of both. `nearness` is the cosine similarity of each to the query. At most
 * `count` indexes.
 */
export function maximalMarginalRelevance(
  nearness: readonly number[],
  candidates: readonly Vector[],
  count: number,
): readonly number[] {
  const chosen: number[] = [];
  const left = new Set(candidates.keys());
  while (chosen.length < count && left.size > 0) {
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const index of left) {
      const likeness = Math.max(
        ...chosen.map((other) => cosineSimilarity(candidates[index] ?? [], candidates[other] ?? [])),
      );
      const near = nearness[index] ?? 0;
      const score = chosen.length === 0 ? near : balance * near - (1 - balance) * likeness;
      if (score > bestScore) [best, bestScore] = [index, score];
    }
    if (best === -1) break;
    chosen.push(best);
    left.delete(best);
  }
  return chosen;
}

/** -1 to 1; 0 where one of the two has no direction. */
export function cosineSimilarity(a: Vector, b: Vector): number {
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  a.forEach((x, index) => {
    const y = b[index] ?? 0;
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  });
  const length = Math.sqrt(squaresOfA * squaresOfB);
  return length === 0 ? 0 : product / length;
}
