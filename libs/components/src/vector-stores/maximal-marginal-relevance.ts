import type { Vector } from '../embeddings/embed-texts';
import type { Sliceable } from '../text/in-slices';

/** How much nearness to the query counts, and how much difference from what is chosen already. */
const balance = 0.5;

/**
 * Which candidates to take, in order, so that they are near the query and unlike each other: the first is the nearest,
 * each further one has the best balance of both. `nearness` is the cosine similarity of each to the query. At most
 * `count` indexes.
 */
export function* maximalMarginalRelevance(
  nearness: readonly number[],
  candidates: readonly Vector[],
  count: number,
): Sliceable<readonly number[]> {
  const chosen: number[] = [];
  const left = new Set(candidates.keys());
  /** Of each candidate, to the one of those chosen that it is most like. */
  const likeness = candidates.map(() => Number.NEGATIVE_INFINITY);
  while (chosen.length < count && left.size > 0) {
    const score = (index: number): number => {
      const near = nearness[index] ?? 0;
      return chosen.length === 0 ? near : balance * near - (1 - balance) * (likeness[index] ?? 0);
    };
    const best = [...left].reduce((one, other) => (score(other) > score(one) ? other : one));
    chosen.push(best);
    left.delete(best);
    for (const index of left) {
      const like = cosineSimilarity(candidates[index] ?? [], candidates[best] ?? []);
      likeness[index] = Math.max(likeness[index] ?? like, like);
      yield;
    }
  }
  return chosen;
}

/** -1 to 1; 0 where one of the two has no direction. */
export function cosineSimilarity(a: Vector, b: Vector): number {
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let index = 0; index < a.length; index += 1) {
    const x = a[index] ?? 0;
    const y = b[index] ?? 0;
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  const length = Math.sqrt(squaresOfA * squaresOfB);
  return length === 0 ? 0 : product / length;
}
