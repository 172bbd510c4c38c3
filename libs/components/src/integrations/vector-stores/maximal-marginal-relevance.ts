import type { Vector } from '../models/embedding-protocol';
import type { InterruptibleWork } from '../../parsing/run-in-slices';

/** The weight of relevance to the query, against difference from the candidates chosen so far. */
const relevanceWeight = 0.5;

/**
 * Selects candidates that are relevant to the query and differ from each other. Returns at most `count` indexes in
 * order: the first is the most relevant, each further one has the best balance of both. `relevance` is the cosine
 * similarity of each candidate to the query.
 */
export function* maximalMarginalRelevance(
  relevance: readonly number[],
  candidates: readonly Vector[],
  count: number,
): InterruptibleWork<readonly number[]> {
  const chosen: number[] = [];
  const remaining = new Set(candidates.keys());
  /** Of each candidate, the highest similarity to a chosen one. */
  const similarityToChosen = candidates.map(() => Number.NEGATIVE_INFINITY);
  while (chosen.length < count && remaining.size > 0) {
    const score = (index: number): number => {
      const relevanceOfIndex = relevance[index] ?? 0;
      return chosen.length === 0
        ? relevanceOfIndex
        : relevanceWeight * relevanceOfIndex - (1 - relevanceWeight) * (similarityToChosen[index] ?? 0);
    };
    const best = [...remaining].reduce((one, other) => (score(other) > score(one) ? other : one));
    chosen.push(best);
    remaining.delete(best);
    for (const index of remaining) {
      const similarity = cosineSimilarity(candidates[index] ?? [], candidates[best] ?? []);
      similarityToChosen[index] = Math.max(similarityToChosen[index] ?? similarity, similarity);
      yield;
    }
  }
  return chosen;
}

/** Returns a value from -1 to 1; 0 for a zero vector. */
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
