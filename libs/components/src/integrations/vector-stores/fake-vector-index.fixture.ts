import { cosineSimilarity } from './maximal-marginal-relevance';

export interface FakeVector {
  readonly id: string;
  readonly vector: readonly number[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The vectors in a fake server, with a search for the nearest. */
export class FakeVectorIndex {
  readonly dimensions: number;
  readonly #vectors = new Map<string, FakeVector>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  put(one: FakeVector): void {
    this.#vectors.set(one.id, one);
  }

  nearest(vector: readonly number[], limit: number): readonly (FakeVector & { readonly score: number })[] {
    return [...this.#vectors.values()]
      .map((one) => ({ ...one, score: cosineSimilarity(vector, one.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}

/** JSON Schemas that the fake servers share. */
export const vectorSchema = { type: 'array', minItems: 1, items: { type: 'number' } };
export const scalarSchema = { type: ['string', 'number', 'boolean'] };

/** Returns the schema of an object with these members and no others. */
export function closedSchema(properties: object, required: readonly string[] = []): object {
  return { type: 'object', properties, required, additionalProperties: false };
}
