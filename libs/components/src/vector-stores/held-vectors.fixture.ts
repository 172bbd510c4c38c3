import { cosineSimilarity } from './maximal-marginal-relevance';

export interface HeldVector {
  readonly id: string;
  readonly vector: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a fake server of vectors holds, and the nearest of it. */
export class HeldVectors {
  readonly dimensions: number;
  readonly #held = new Map<string, HeldVector>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  put(one: HeldVector): void {
    this.#held.set(one.id, one);
  }

  nearest(vector: readonly number[], limit: number): readonly (HeldVector & { readonly score: number })[] {
    return [...this.#held.values()]
      .map((one) => ({ ...one, score: cosineSimilarity(vector, one.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}

/** JSON Schemas that fake servers of vectors share. */
export const vectorSchema = { type: 'array', minItems: 1, items: { type: 'number' } };
export const scalarSchema = { type: ['string', 'number', 'boolean'] };

/** The schema of an object with these members and no others. */
export function closedSchema(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, required, additionalProperties: false };
}
